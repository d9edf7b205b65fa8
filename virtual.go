package pipescan

import (
	"fmt"

	"github.com/pipescan/pipescan/catalog"
)

// VirtualColumns says what * makes of virtual generated columns (PostgreSQL
// 18), whose values are not stored.
type VirtualColumns int

// The choices. VirtualOmit leaves them out, as COPY of the table does, and
// warns; VirtualNull gives NULL in their place; VirtualError refuses the table.
const (
	VirtualOmit VirtualColumns = iota
	VirtualNull
	VirtualError
)

// keepVirtual says whether * lists a virtual generated column.
func (t *Table) keepVirtual(c *catalog.Column) (bool, error) {
	o := &t.db.shared.options
	switch o.VirtualColumns {
	case VirtualNull:
		return true, nil
	case VirtualError:
		return false, fmt.Errorf("%w: a virtual generated column: its values are not stored (name the other columns, or choose that it is left out or NULL)", ErrUnsupported)
	}
	o.Warn(fmt.Sprintf("%s: column %q is a virtual generated column: its values are not stored, it is left out", t.Name(), c.Name))
	return false, nil
}
