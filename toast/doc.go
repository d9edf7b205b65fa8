// Package toast puts a wide value together: it fetches the chunks of a value
// stored out of line, checks that they are all there, and decompresses.
//
// # A value's way
//
// A varlena in a row is plain, compressed in place, or a pointer to chunks in
// the table's TOAST relation, pg_toast.pg_toast_<oid>, whose rows are
// (chunk_id oid, chunk_seq int4, chunk_data bytea) with a unique index on the
// first two:
//
//	row          TOAST index (nbtree)           TOAST heap
//	+---------+  +-------------------+          +----------------------------+
//	| pointer |->| (id, 0) -> tid    |--------->| id | 0 | 1996 bytes        |-+
//	| id      |  | (id, 1) -> tid    |--------->| id | 1 | 1996 bytes        | |
//	| sizes   |  | (id, 2) -> tid    |--------->| id | 2 | the rest          | |
//	+---------+  +-------------------+          +----------------------------+ |
//	                                                                           v
//	                     [tcinfo 4 bytes][pglz or lz4 stream]   or   [plain bytes]
//	                      raw size, method      |
//	                                            v
//	                                      plain bytes
//
// [RelationFetcher] goes down the index by equality and reads the chunks,
// [Assembler] checks their order and sizes, [Detoaster] does the whole way for
// any varlena.
//
// # Which chunks are seen
//
// A row that is visible keeps its chunks, whatever their xmax says, so a chunk
// counts unless its insert is marked aborted (or it was a speculative insert
// given up: xmin 0). Index entries that a server marked dead are passed over
// as a server does, because an id may be given out again once its old chunks
// are dead to all; set [RelationFetcher].Dead when the rows read may be dead
// themselves.
//
// # Trust
//
// Sizes in a pointer or a stream are claims. Memory for a value is taken only
// after its chunks were counted in the index, and after [MaxRaw] says that so
// few compressed bytes can make so many; [Detoaster].MaxValue bounds it
// further. Walks through the index are bounded by its number of blocks. A
// claim that does not hold is a *pgfile.CorruptError naming the value, the
// chunk and the TOAST relation; a damaged index an [*IndexError].
//
// Fetchers and Detoasters keep buffers: one a goroutine.
package toast
