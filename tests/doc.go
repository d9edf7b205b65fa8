// Package tests holds what only the whole house can show.
//
//   - Floors: which package may import which, who may start goroutines, that everything is documented.
//   - Conformance: for each PostgreSQL version, clusters full of trouble are made by a real server and stopped; pipescan dumps them;
//     a server started on a copy is the judge, byte by byte.
//   - Staleness: a cache that outlives a change of the directory must not show in any answer.
//   - Damage: whatever is done to the bytes, the answer is the server's rows or a typed error.
//
// There is no code here for others to use.
package tests
