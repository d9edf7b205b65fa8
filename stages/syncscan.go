package stages

// SyncKey identifies a table for synchronized scans.
type SyncKey struct{ Tablespace, Database, Node uint32 }

// SyncScans is the table of where running scans are; one a DB, safe for
// concurrent use.
type SyncScans struct{}
