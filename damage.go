package pipescan

import (
	"context"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/cluster"
	"github.com/pipescan/pipescan/pgfile"
)

// sameLayout holds pg_attribute's copy of how a type lies in a tuple against
// pg_type. A server believes the copy; where the two differ one is damaged, and
// every value from this column on would be cut out at the wrong place.
func (db *DB) sameLayout(c *catalog.Column) error {
	t, ok, err := db.database.Type(c.Type)
	if err != nil || !ok {
		return err
	}
	if t.Len != c.Len || t.Align != c.Align || t.ByVal != c.ByVal {
		return pgfile.Corruptf(-1, "pg_attribute says length %d, alignment %q, by value %t; pg_type says %d, %q, %t of its type %q",
			c.Len, c.Align, c.ByVal, t.Len, t.Align, t.ByVal, t.Name)
	}
	return nil
}

// blameAttribute adds to damage found in a column's description the file that
// it was read from.
func (db *DB) blameAttribute(err error) error {
	if d, ok := db.database.(*cluster.Database); ok {
		return d.BlameAttribute(context.Background(), err)
	}
	return err
}

// doubt says of a name that is not found, in catalogs of which something was
// lost, that it may be among what was lost: corruption, not ErrNotFound.
func (s *shared) doubt(err error) error {
	n := s.catalog.total()
	if n == 0 || !isNotFound(err) {
		return err
	}
	return fmt.Errorf("%v; but %d losses in the catalogs may have taken it away, the first: %w", err, n, s.catalog.losses()[0].Err)
}
