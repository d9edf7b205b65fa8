package stages

import (
	"fmt"

	"github.com/pipescan/pipescan/pgfile"
)

// rowPlan says how rows become vectors. It is read-only and shared by lanes.
type rowPlan struct {
	deform *pgfile.DeformPlan
	steps  []colStep
	widths []int
	slots  int // attributes to deform
	fixed  int // decoded bytes a row that do not depend on its values
	// columnar: every column is an attribute at a known offset, off in its step.
	columnar bool
}

// colStep is one output column.
type colStep struct {
	slot    int   // into the deformed attributes, -1 for a system column
	system  int16 // its number, when slot is -1
	width   int   // of the vector
	off     int32 // from the start of a tuple's data, when the plan is columnar
	varlena bool
	column  *Column
}

// tidWidth is the size of a ctid.
const tidWidth = 6

// newRowPlan checks the wanted columns against the row type.
func newRowPlan(s *HeapScan) (*rowPlan, error) {
	r := &rowPlan{}
	var wanted []int
	for i := range s.Columns {
		c := &s.Columns[i]
		st := colStep{slot: -1, width: c.Width, varlena: c.Varlena, column: c}
		var err error
		if c.Num < 0 {
			err = st.setSystem()
		} else {
			err = st.check(s.Attrs)
			st.slot = len(wanted)
			wanted = append(wanted, int(c.Num)-1)
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		r.steps = append(r.steps, st)
		r.widths = append(r.widths, st.width)
		r.fixed += st.width + 4
	}
	var err error
	if r.deform, err = pgfile.NewDeformPlan(s.Attrs, wanted); err != nil {
		return nil, err
	}
	r.slots = len(wanted)
	r.setColumnar()
	return r, nil
}

// setColumnar looks whether rows without nulls can be decoded column by column.
func (r *rowPlan) setColumnar() {
	if !r.deform.Simple() {
		return
	}
	for i := range r.steps {
		st := &r.steps[i]
		if st.slot < 0 {
			return
		}
		off, width, ok := r.deform.FixedOffset(int(st.column.Num) - 1)
		if !ok || width != st.width {
			return
		}
		st.off = int32(off)
	}
	r.columnar = len(r.steps) > 0
}

// setSystem makes the step one of a system column.
func (st *colStep) setSystem() error {
	want := 4
	switch st.column.Num {
	case NumCTID:
		want = tidWidth
	case NumXmin, NumCmin, NumXmax, NumCmax, NumTableOID:
	default:
		return fmt.Errorf("there is no system column %d", st.column.Num)
	}
	if st.width != want {
		return fmt.Errorf("width %d of a system column of %d bytes", st.width, want)
	}
	st.system = st.column.Num
	return nil
}

// check compares the column with its attribute.
func (st *colStep) check(attrs []pgfile.Attr) error {
	n := int(st.column.Num)
	if n < 1 || n > len(attrs) {
		return fmt.Errorf("attribute %d of a row type of %d is wanted", n, len(attrs))
	}
	a := attrs[n-1]
	if want := max(int(a.Len), 0); st.width != want {
		return fmt.Errorf("vector width %d for an attribute of length %d", st.width, a.Len)
	}
	if a.Missing != nil && (a.Len > 0 && len(a.Missing) != int(a.Len) || a.Len == -1 && len(a.Missing) == 0) {
		return fmt.Errorf("the missing value has %d bytes, the attribute's length is %d: %w", len(a.Missing), a.Len, pgfile.ErrCorrupt)
	}
	if (a.Len == -1) != st.varlena {
		return fmt.Errorf("attribute length %d and varlena %v do not agree", a.Len, st.varlena)
	}
	return nil
}
