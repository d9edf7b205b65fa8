package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/store"
)

// CreateTable makes an empty table with the columns that ParseColumns reads
// from columns, and the schema when it does not exist. The names are not
// quoted SQL. Errors: ErrExists, *DefinitionError.
func (s *Store) CreateTable(_ context.Context, schema, name, columns string) (*catalog.Relation, error) {
	cols, err := ParseColumns(columns)
	if err != nil {
		return nil, err
	}
	for _, n := range []string{schema, name} {
		if n == "" || len(n) > catalog.MaxNameLen {
			return nil, fmt.Errorf("a name of %d bytes: names have 1 to %d", len(n), catalog.MaxNameLen)
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	st := s.current()
	for _, r := range st.sorted {
		if r.Name == name && st.schemas[r.Namespace] == schema {
			return nil, fmt.Errorf("table %q: %w", schema+"."+name, ErrExists)
		}
	}
	change := store.OwnChange{NextOID: st.nextOID}
	ns, ok := st.schema(schema)
	if !ok {
		ns = change.NextOID
		change.NextOID++
		change.Schemas = map[uint32]string{ns: schema}
	}
	oid := change.NextOID
	change.NextOID++
	rel := &catalog.Relation{
		OID: oid, Name: name, Namespace: ns, AM: heapAM, FileNode: oid, Persistence: 'p', Kind: 'r',
		Natts: int16(len(cols)), Columns: cols,
	}
	record, err := json.Marshal(rel)
	if err != nil {
		return nil, err
	}
	change.Tables = []store.OwnTable{{OID: oid, Record: record}}
	if err := writeSynced(filepath.Join(s.path, fileName(oid, 0)), nil); err != nil {
		return nil, err
	}
	next := st.with(oid, &ownTable{rel: rel, record: record})
	next.nextOID = change.NextOID
	next.schemas[ns] = schema
	return rel, s.publish(change, next)
}

// heapAM is the OID of the access method heap.
const heapAM catalog.OID = 2

// Drop removes a table. Scans of it that still run go on to read its files.
func (s *Store) Drop(_ context.Context, rel *catalog.Relation) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	st := s.current()
	if _, err := st.table(rel); err != nil {
		return err
	}
	if err := s.publish(store.OwnChange{Dropped: []uint32{rel.OID}}, st.with(rel.OID, nil)); err != nil {
		return err
	}
	return s.truncate(rel.OID, -1)
}

// recover makes the files fit the catalog after a crash: a table's file ends
// where the table does, and files of no table are removed.
func (s *Store) recover(st *state) error {
	dir := filepath.Join(s.path, baseDir, fmt.Sprint(databaseID))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		var oid, segment uint32
		if n, _ := fmt.Sscanf(e.Name(), "%d.%d", &oid, &segment); n == 0 || e.Name() != filepath.Base(fileName(oid, segment)) {
			continue // not ours
		}
		if st.byOID[oid] == nil {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for oid, t := range st.byOID {
		if err := s.truncate(oid, int64(t.blocks)); err != nil {
			return err
		}
	}
	return nil
}

// truncate cuts a table's file at a block; -1 removes it. A file that is too
// short is left alone: it is damage, which a scan reports.
func (s *Store) truncate(oid catalog.OID, blocks int64) error {
	for segment := uint32(0); ; segment++ {
		name := filepath.Join(s.path, fileName(oid, segment))
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		keep := (blocks - int64(segment)*segmentBlocks) * pageSize
		switch {
		case blocks < 0, segment > 0 && keep <= 0:
			err = os.Remove(name)
		case info.Size() > min(keep, segmentBlocks*pageSize):
			err = os.Truncate(name, min(keep, segmentBlocks*pageSize))
		}
		if err != nil {
			return err
		}
	}
}
