// Package store remembers facts about data directories between scans: decoded
// system catalogs and the imported visibility map. It is a cache and nothing
// else: a fact that is missing, stale or damaged is read again from the
// directory, and a store that cannot be opened is replaced by memory.
//
// A caller asks with Get, gives with Put, and never sees Pebble, which holds
// the facts on disk:
//
//	cluster ──Put(key, sources, payload)──▶ Store ──▶ Pebble  <cache>/pipescan/v1
//	        ◀─Get(key, current identities)─┘     └──▶ a map, when there is no disk
//
// # Keys
//
// A key names the cluster (its system identifier, and device and inode of its
// global/pg_control, because clones share everything else) and the fact. All
// numbers are big-endian, so that the facts of a cluster are neighbours.
//
//	0     1          9      17      25     26        30        34        38
//	+-----+----------+------+-------+------+---------+---------+---------+
//	| 'f' | system   | dev  | inode | kind | db oid  | object  | part    |
//	|     | id       |      |       |      |         |         |         |
//	+-----+----------+------+-------+------+---------+---------+---------+
//
//	kind 'C'  a catalog: object is the catalog's OID
//	kind 'V'  a page of a visibility map: object is the file node, part the page
//
//	0     1          9      17      25
//	+-----+----------+------+-------+
//	| 's' | system   | dev  | inode |   value: the day (since 1970, u32) on
//	|     | id       |      |       |   which the cluster's facts were last put
//	+-----+----------+------+-------+
//
// # Values
//
// A fact carries the identity of each file that it was read from. It is only
// returned while all of them are the same.
//
//	0       4      5          9       13
//	+-------+------+----------+-------+----------+-----+----------+---------+
//	| CRC32C| form | payload  | count | source 1 | ... | source n | payload |
//	| u32   | u8   | len u32  | u32   |          |     |          |         |
//	+-------+------+----------+-------+----------+-----+----------+---------+
//
//	source  | name length u16 | name | dev | inode | size | mtime ns | ctime ns |   5 x u64
//
// The CRC covers everything behind it. All numbers are little-endian.
//
// # Life of the disk store
//
// Nothing is opened before the first Get or Put. Stores of one process that
// name the same directory share one Pebble. Another process that holds it, a
// read-only or full disk, a missing home: the store goes on in memory, and
// Note says why. A damaged one is moved aside to v1.broken and begun anew. The
// write-ahead log is off: what a killed process had not flushed is read again.
// Facts of clusters not met for 90 days are dropped.
//
// # Own tables
//
// Own is another Pebble, in the directory of a store of own tables, and no
// cache: what it says of the tables is the truth. A change is one synced batch.
// Its keys, numbers big-endian:
//
//	'c' 'o'                    the next OID, u32
//	'c' 'x'                    the next transaction id, u64
//	'n' | schema oid u32       the schema's name
//	'r' | table oid u32        name and columns, as package table writes them
//	'e' | table oid u32        blocks u32, the known end | rows u64
//	'x' | number u32           states of 1,024 transactions, 2 bits each, low first
//	'v' | table oid | page u32 a page of the visibility map, without its header
//
// Pages behind a table's known end do not count: a load that was cut short left
// them. The batch that moves the end also says that the load's transaction
// committed, so a load is there whole or not at all.
package store
