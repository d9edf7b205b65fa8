package pipescan

import (
	"errors"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
)

// Names in catalogs are bytes in the database's encoding. Those that a user
// gives or reads are UTF-8.

// Text is a name of the database's catalogs in UTF-8; bytes that cannot be
// converted are written as \xNN.
func (db *DB) Text(name string) string { return datum.Printable(db.env.Encoding, name) }

// Encoding is the number (pg_enc) of the database's encoding, which is that of
// all text in it.
func (db *DB) Encoding() int32 { return db.env.Encoding }

// Text is DB.Text of the table's database.
func (t *Table) Text(name string) string { return t.db.Text(name) }

// Encoding is DB.Encoding of the table's database.
func (t *Table) Encoding() int32 { return t.db.Encoding() }

// raw is a name that a user gave in the database's encoding; a name with
// characters that the encoding lacks stays as it is, and is then not found.
func (db *DB) raw(name string) string {
	if out, err := datum.FromUTF8(db.env.Encoding, name); err == nil {
		return out
	}
	return name
}

// readable makes the names in an error that something was not found UTF-8.
func (db *DB) readable(err error) error {
	var n *catalog.NotFoundError
	if !errors.As(err, &n) {
		return err
	}
	c := *n
	c.Name = db.Text(n.Name)
	c.Nearest = nil
	for _, near := range n.Nearest {
		c.Nearest = append(c.Nearest, db.Text(near))
	}
	return &c
}
