package datum

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// Record is the Go value of a composite type.
type Record struct {
	Names  []string
	Fields []any // nil is NULL
}

// recordNode is a composite type; typ is nil for record.
type recordNode struct {
	e   *Env
	typ *catalog.Type
}

// rowType is a composite type ready to take values apart.
type rowType struct {
	names   []string
	columns []rowColumn // those that are not dropped
	plan    *pgfile.DeformPlan
	scratch sync.Pool // *[]pgfile.Datum
}

// rowColumn is a column of a rowType; its type is resolved by the first value
// that is not null.
type rowColumn struct {
	oid  catalog.OID
	len  int16
	info atomic.Pointer[typeInfo]
}

// rowTypeOf returns the row type of a composite type, from memory after the
// first time.
func (e *Env) rowTypeOf(oid catalog.OID) (*rowType, error) {
	if row, ok := e.rows.Load(oid); ok {
		return row.(*rowType), nil
	}
	t, err := e.typeRow(oid)
	if err != nil {
		return nil, err
	}
	if t.Kind != 'c' {
		return nil, pgfile.Corruptf(4, "record says that it is of type %q, which is not composite", t.Name)
	}
	rel, ok, err := e.Lookup.Relation(t.RelID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, pgfile.Corruptf(-1, "relation %d of composite type %q is not in pg_class", t.RelID, t.Name)
	}
	row, err := newRowType(rel)
	if err != nil {
		return nil, err
	}
	known, _ := e.rows.LoadOrStore(oid, row)
	return known.(*rowType), nil
}

func newRowType(rel *catalog.Relation) (*rowType, error) {
	row := &rowType{}
	attrs := make([]pgfile.Attr, len(rel.Columns))
	var wanted []int
	for i := range rel.Columns {
		c := &rel.Columns[i]
		attrs[i] = pgfile.Attr{Len: c.Len, Align: c.Align, ByVal: c.ByVal, Dropped: c.Dropped}
		if c.Dropped {
			continue
		}
		if c.HasMissing {
			attrs[i].Missing = c.Missing
		}
		wanted = append(wanted, i)
		row.names = append(row.names, c.Name)
	}
	row.columns = make([]rowColumn, len(wanted))
	for i, w := range wanted {
		row.columns[i].oid, row.columns[i].len = rel.Columns[w].Type, rel.Columns[w].Len
	}
	plan, err := pgfile.NewDeformPlan(attrs, wanted)
	if err != nil {
		return nil, err
	}
	row.plan = plan
	row.scratch.New = func() any { d := make([]pgfile.Datum, len(wanted)); return &d }
	return row, nil
}

// deform finds the fields of a composite value, which is a heap tuple whose
// header's transaction fields hold the type. Its payload starts 4 bytes into
// the header:
//
//	payload 0        4        8      14           16         18     19          hoff-4
//	        +--------+--------+------+------------+----------+------+-----------+------+
//	        | typmod | typeid | ctid | natts and  | infomask | hoff | null      | data |
//	        | i4     | oid    | 6    | flags, u2  | u2       | u1   | bitmap    |      |
//	        +--------+--------+------+------------+----------+------+-----------+------+
//
// The caller gives fields back to row.scratch.
func (n *recordNode) deform(v []byte) (row *rowType, fields *[]pgfile.Datum, err error) {
	const header = 19
	if len(v) < header {
		return nil, nil, pgfile.Corruptf(0, "record of %d bytes is shorter than its header", len(v))
	}
	typ := binary.LittleEndian.Uint32(v[4:])
	if typ == catalog.RecordOID {
		return nil, nil, pgfile.Corruptf(4, "record of a type that only the session that made it knew")
	}
	if n.typ != nil && n.typ.OID != typ {
		return nil, nil, pgfile.Corruptf(4, "record says that it is of type %d, its column that it is of type %q", typ, n.typ.Name)
	}
	if row, err = n.e.rowTypeOf(typ); err != nil {
		return nil, nil, err
	}
	natts := int(binary.LittleEndian.Uint16(v[14:]) & 0x7ff)
	hoff := int(v[18]) - varlenaHeader
	var nulls []byte
	end := header
	if hasNulls := v[16]&1 != 0; hasNulls {
		end += (natts + 7) / 8
	}
	if hoff < end || hoff > len(v) || (hoff+varlenaHeader)&7 != 0 {
		return nil, nil, pgfile.Corruptf(18, "record of %d bytes and %d fields says its data start at %d", len(v), natts, hoff)
	}
	if end > header {
		nulls = v[header:end]
	}
	fields = row.scratch.Get().(*[]pgfile.Datum)
	if err := row.plan.DeformData(natts, nulls, v[hoff:], *fields); err != nil {
		row.scratch.Put(fields)
		return nil, nil, err
	}
	return row, fields, nil
}

// field returns the node and payload of column i's stored value.
func (row *rowType) field(e *Env, i int, stored pgfile.Datum) (node, []byte, error) {
	c := &row.columns[i]
	info := c.info.Load()
	if info == nil {
		var err error
		if info, err = e.resolve(c.oid); err != nil {
			return nil, nil, err
		}
		if info.typ.Len != c.len {
			return nil, nil, pgfile.Corruptf(-1, "field %q has length %d, its type %q has %d", row.names[i], c.len, info.typ.Name, info.typ.Len)
		}
		c.info.Store(info)
	}
	if c.len != -1 {
		return info.node, stored, nil
	}
	payload, err := e.plain(stored)
	return info.node, payload, err
}

// each calls f with the name of every field and its node and payload; the node
// is nil for NULL.
func (n *recordNode) each(v []byte, depth int, f func(name string, field node, payload []byte) error) error {
	if depth >= maxDepth {
		return errDepth()
	}
	row, fields, err := n.deform(v)
	if err != nil {
		return err
	}
	defer row.scratch.Put(fields)
	for i, stored := range *fields {
		var field node
		var payload []byte
		if stored != nil {
			if field, payload, err = row.field(n.e, i, stored); err != nil {
				return err
			}
		}
		if err := f(row.names[i], field, payload); err != nil {
			return err
		}
	}
	return nil
}

// text is record_out.
func (n *recordNode) text(dst, v []byte, depth int) ([]byte, error) {
	begin := len(dst)
	first := true
	dst = append(dst, '(')
	err := n.each(v, depth, func(_ string, field node, payload []byte) (err error) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if field == nil {
			return nil
		}
		start := len(dst)
		if dst, err = field.text(dst, payload, depth+1); err != nil {
			return err
		}
		if recordNeedsQuotes(dst[start:]) {
			dst = quoteTail(dst, start, true)
		}
		return checkTextLen(dst, begin)
	})
	return append(dst, ')'), err
}

// value returns a Record.
func (n *recordNode) value(v []byte, depth int) (any, error) {
	r := Record{}
	err := n.each(v, depth, func(name string, field node, payload []byte) (err error) {
		var value any
		if field != nil {
			value, err = field.value(payload, depth+1)
		}
		r.Names, r.Fields = append(r.Names, name), append(r.Fields, value)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
