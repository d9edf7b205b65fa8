// Package pgfile says where each bit lies in PostgreSQL's files, versions 13 to
// 18, little-endian, in the default build (8 KB blocks, 1 GB segments).
//
// It is the lowest floor of pipescan: it opens no file, starts no goroutine and
// knows no catalog. Each parser takes bytes that somebody else has read, trusts
// none of them, and either returns what they mean or a *CorruptError that names
// the offset. What it returns aliases the input unless its comment says
// otherwise.
//
// # A data directory, and who reads which part of it
//
//	PG_VERSION                     ParseVersionFile
//	postmaster.pid                 ParsePostmasterPID
//	backup_label, *.signal         BackupLabelFile and its neighbours: presence counts
//	global/pg_control              ParseControl
//	global/pg_filenode.map         ParseRelMap
//	global/1262                    ┐
//	base/5/16384                   │ ParseRelPath says node, fork and segment;
//	base/5/16384.1                 │ Page and what follows reads their blocks
//	base/5/16384_vm                │ VMLocation, VMBitsAt
//	base/5/16384_fsm               │ FSMLocation, FSMCategory
//	pg_tblspc/16400/PG_15_…/5/1    ┘ TablespaceDir
//	pg_xact/0000                   XactLocation
//	pg_multixact/offsets/0000      MultiOffsetLocation
//	pg_multixact/members/0000      MultiMemberLocation
//	pg_subtrans/0000               SubtransLocation (for inspection only)
//	pg_twophase/000002F1           ParseTwoPhase
//
// # A page
//
//	0        24                 lower        upper             special    8192
//	+--------+------------------+------------+-----------------+----------+
//	| header | line pointers →  |    hole    |      ← tuples   | special  |
//	+--------+------------------+------------+-----------------+----------+
//	           │    │                          ▲          ▲
//	           │    └──────────────────────────┘          │
//	           └──────────────────────────────────────────┘
//
// Heap pages have an empty special space; nbtree pages keep their siblings'
// block numbers there; a sequence's page keeps a magic number there.
//
// # Reading a heap page
//
//	ValidatePage(p)        the header: what the server checks when it reads a page
//	ValidateItems(p)       every line pointer, once a page
//	p.Item(n), p.Tuple(n)  now in bounds: accessors trust what was validated
//	plan.Deform(t, dst)    the tuple's attributes, one Datum each
//	ParseVarlena(d)        what a variable-width Datum holds, or points to
//
// ValidatePage accepts whatever a server reads without complaint. ValidateItems
// and Deform refuse some pages on which a server would read outside the tuple or
// return nonsense: those are damaged, and pipescan says so.
package pgfile
