package dump

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/pipescan/pipescan"
)

// ManifestName is the manifest's file name in a dump's directory.
const ManifestName = "manifest.jsonl"

// Entry is a line of the manifest: one table, done or failed.
type Entry struct {
	OID      uint32 `json:"oid"`
	Schema   string `json:"schema"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	File     string `json:"file"` // relative to the dump's directory
	Rows     int64  `json:"rows"`
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256"`
	Error    string `json:"error,omitempty"`
	Losses   int64  `json:"losses,omitempty"` // pages, tuples and values gone on without
	Database string `json:"database"`
	Source   string `json:"source"` // state of the cluster that the table was read from

	// Ledger lists the losses of a table just dumped, for Options.Done; the
	// manifest has their number.
	Ledger []pipescan.Loss `json:"-"`
}

// key tells tables apart within a dump.
type key struct {
	database string
	oid      uint32
}

// manifest appends entries to OUTDIR/manifest.jsonl.
type manifest struct {
	mu   sync.Mutex
	file *os.File
	done map[key]Entry
}

// openManifest reads what an earlier run left and opens the file for appending.
// A last line that was cut off in the middle is dropped.
func openManifest(dir string) (*manifest, error) {
	m := &manifest{done: map[key]Entry{}}
	path := filepath.Join(dir, ManifestName)
	whole, err := m.read(path)
	if err != nil {
		return nil, err
	}
	m.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	if err := m.file.Truncate(whole); err != nil {
		return nil, errors.Join(err, m.file.Close())
	}
	if _, err := m.file.Seek(whole, 0); err != nil {
		return nil, errors.Join(err, m.file.Close())
	}
	return m, nil
}

// read loads the entries and returns how many bytes are whole lines.
func (m *manifest) read(path string) (int64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var whole int64
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return whole, nil
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, fmt.Errorf("%s: offset %d: not a line of a manifest: %w (dump into an empty directory, or remove the file)", path, whole, err)
		}
		m.done[key{e.Database, e.OID}] = e
		whole += int64(len(line))
	}
}

// finished says whether a table was already dumped whole from the same source
// into the file it would go to now.
func (m *manifest) finished(dir string, want Entry) (Entry, bool) {
	m.mu.Lock()
	e, ok := m.done[key{want.Database, want.OID}]
	m.mu.Unlock()
	if !ok || want.Source == "" || e.Error != "" || e.Losses != 0 || e.File != want.File || e.Source != want.Source {
		return e, false
	}
	st, err := os.Stat(filepath.Join(dir, e.File))
	return e, err == nil && st.Size() == e.Bytes
}

// add appends an entry.
func (m *manifest) add(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[key{e.Database, e.OID}] = e
	_, err = m.file.Write(append(line, '\n'))
	return err
}

// close flushes the manifest to disk and closes it.
func (m *manifest) close() error { return errors.Join(m.file.Sync(), m.file.Close()) }
