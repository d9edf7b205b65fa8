// Package cluster reads a PostgreSQL data directory as a whole: its control
// file, transaction logs and system catalogs, and gives scans of its tables to
// the packages above. It never writes into the directory.
//
//	Attach ─▶ Cluster                     pg_control, postmaster.pid, signal files
//	            │ .Snapshot, .Xacts       pg_xact, pg_multixact, pg_twophase
//	            │ .Databases .Roles ...   shared catalogs, by global/pg_filenode.map
//	            ▼
//	          .Database ─▶ Database       a catalog.Lookup
//	                         │ .Relations, .Expand, .Indexes
//	                         ▼
//	                       .HeapScan      a stages.HeapScan, wired:
//	                                      files, row type, snapshot, TOAST
//
// # How catalogs are read
//
// A catalog is a table like any other, and is scanned by the same stages. Its
// file is found through pg_class, and its columns through pg_attribute; only
// what must be known before these two can be read is built in, a version at a
// time (bootstrap.json):
//
//	pg_filenode.map ─▶ pg_class ─▶ pg_attribute ─▶ every other catalog
//	(relation map)     columns     columns         columns from pg_attribute,
//	                   built in    built in        file from pg_class
//
// The shared catalogs that Attach needs (pg_database, pg_authid, pg_tablespace)
// are built in too, because they are wanted before a database is chosen.
// Catalogs are read on first use, each once, and remembered in the store while
// none of the files they were read from changes.
//
// # Clean and unclean
//
// A directory is clean when pg_control says "shut down" (state 1) and no
// backup_label, recovery.signal or standby.signal lies in it. Every other one
// needs WAL replay before its files hold all commits: Attach refuses it unless
// AllowUnclean is set. Then hint bits and pg_xact decide, visibility maps are
// not used, nothing is remembered, and unlogged relations are read from their
// init forks, as a server would reset them.
//
// # Reading the source
//
// attach.go, state.go and running.go decide whether the directory may be read;
// slru.go, xacts.go, multixact.go and twophase.go are the snapshot;
// bootstrap.go and catscan.go read catalogs, load*.go turn their rows into
// package catalog's values; lookup.go and regname.go answer catalog.Lookup;
// open.go, toast.go and vm.go wire scans; expand.go and bound*.go order
// partitions as the server does; remember.go speaks to the store.
package cluster
