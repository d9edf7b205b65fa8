package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// Expand lists the relations with files that a scan of rel reads, in the order
// in which a server's serial scan does: rel itself first when it has rows of
// its own, then its children. Partitions come in the order of their bounds (the
// default one last), depth first; inheritance children level by level, by OID.
// A foreign table among them is an error, for its rows are elsewhere. Where
// only a server knows the order of the bounds (text under a language's
// collation, a user's operator class), partitions come by OID, and Warn is told.
func (d *Database) Expand(ctx context.Context, rel *catalog.Relation) ([]*catalog.Relation, error) {
	switch rel.Kind {
	case 'p':
		return d.expandPartitions(ctx, rel, map[catalog.OID]bool{rel.OID: true})
	case 'r':
		return d.expandInheritance(ctx, rel)
	}
	return []*catalog.Relation{rel}, nil
}

// expandInheritance goes through an inheritance tree breadth first. A table
// that several parents share is met once, where it comes first.
func (d *Database) expandInheritance(ctx context.Context, rel *catalog.Relation) ([]*catalog.Relation, error) {
	out := []*catalog.Relation{rel}
	seen := map[catalog.OID]bool{rel.OID: true}
	for i := 0; i < len(out); i++ {
		children, err := d.childRelations(ctx, out[i])
		if err != nil {
			return nil, err
		}
		for _, child := range children {
			if seen[child.OID] {
				continue
			}
			seen[child.OID] = true
			out = append(out, child)
		}
	}
	return out, nil
}

// childRelations are the direct children by OID.
func (d *Database) childRelations(ctx context.Context, rel *catalog.Relation) ([]*catalog.Relation, error) {
	core, err := d.catalogs(ctx)
	if err != nil {
		return nil, err
	}
	oids, err := d.Children(ctx, rel.OID)
	if err != nil {
		return nil, err
	}
	var out []*catalog.Relation
	for _, oid := range oids {
		child := core.byOID[oid]
		if child == nil {
			e := pgfile.Corruptf(-1, "pg_inherits names %d as a child of %q, and pg_class has no such relation", oid, rel.Name)
			e.Remedy = "scan the other children one by one"
			return nil, d.blame(ctx, oidInherits, e)
		}
		if child.Persistence == 't' {
			continue // of a session that is gone
		}
		if child.Kind == 'f' {
			return nil, fmt.Errorf("%q has the foreign table %q as a child, whose rows are not in this cluster; scan the others one by one: %w", rel.Name, child.Name, pgfile.ErrUnsupported)
		}
		out = append(out, child)
	}
	return out, nil
}

// expandPartitions lists the leaves below a partitioned table. A partition has
// one parent only; one that is met twice would give its rows twice, or lead in
// a circle.
func (d *Database) expandPartitions(ctx context.Context, rel *catalog.Relation, seen map[catalog.OID]bool) ([]*catalog.Relation, error) {
	parts, err := d.childRelations(ctx, rel)
	if err != nil {
		return nil, err
	}
	if parts, err = d.inBoundOrder(ctx, rel, parts); err != nil {
		return nil, err
	}
	var out []*catalog.Relation
	for _, p := range parts {
		if seen[p.OID] {
			e := pgfile.Corruptf(-1, "pg_inherits makes %q a partition of more than one table, or of itself", p.Name)
			e.Remedy = "scan the partitions one by one"
			return nil, d.blame(ctx, oidInherits, e)
		}
		seen[p.OID] = true
		if p.Kind != 'p' {
			out = append(out, p)
			continue
		}
		below, err := d.expandPartitions(ctx, p, seen)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}

// partition is a partition with what it is ordered by.
type partition struct {
	rel   *catalog.Relation
	bound *partitionBound
	first *constant // of a list: its smallest value, nil when it takes NULL alone
}

// rank puts a list's NULL partition behind all others and the default last.
func (p partition) rank() int {
	switch {
	case p.bound.isDefault:
		return 2
	case p.bound.strategy == 'l' && p.first == nil:
		return 1
	}
	return 0
}

// inBoundOrder sorts the partitions of a table as its server does.
func (d *Database) inBoundOrder(ctx context.Context, rel *catalog.Relation, rels []*catalog.Relation) ([]*catalog.Relation, error) {
	if len(rels) < 2 {
		return rels, nil
	}
	key, err := d.partitionKeyOf(ctx, rel)
	if err != nil {
		return nil, err
	}
	parts := make([]partition, len(rels))
	for i, r := range rels {
		b, err := d.boundOf(ctx, r)
		if err != nil {
			return nil, err
		}
		parts[i] = partition{rel: r, bound: b}
	}
	orders, err := d.keyOrders(ctx, key, parts)
	if err != nil {
		return nil, err
	}
	if orders == nil {
		d.c.o.Warn(fmt.Sprintf("partitions of %q come in the order of their OIDs: only a server knows how their bounds are ordered", rel.Name))
		return rels, nil
	}
	for i := range parts {
		for j := range parts[i].bound.list {
			c := &parts[i].bound.list[j]
			if f := parts[i].first; f == nil || orders[0](c.bytes, f.bytes) < 0 {
				parts[i].first = c
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b partition) int { return comparePartitions(a, b, orders) })
	out := make([]*catalog.Relation, len(parts))
	for i, p := range parts {
		out[i] = p.rel
	}
	return out, nil
}

// keyOrders finds the order of each column of a partition key; nil when one is
// not known here. Hash partitions need none.
func (d *Database) keyOrders(ctx context.Context, key partitionKey, parts []partition) ([]compareFunc, error) {
	orders := make([]compareFunc, len(key.Classes))
	for i := range orders {
		typ := catalog.OID(0)
		for _, p := range parts {
			t, mixed := columnType(p.bound, i)
			if mixed || t != 0 && typ != 0 && t != typ {
				return nil, nil // binary-coercible types side by side
			}
			typ = cmp.Or(typ, t)
		}
		orders[i] = func(a, b []byte) int { return 0 } // never asked: no value in this column
		if typ == 0 {
			continue
		}
		if i >= len(key.Collations) {
			return nil, nil
		}
		f, err := d.comparer(ctx, typ, key.Classes[i], key.Collations[i])
		if f == nil || err != nil {
			return nil, err
		}
		orders[i] = f
	}
	return orders, nil
}

// columnType is the type of a bound's values in a column of the key, 0 when it
// has none there.
func columnType(b *partitionBound, column int) (typ catalog.OID, mixed bool) {
	if b.strategy == 'r' {
		if column < len(b.lower) {
			return b.lower[column].value.typ, false
		}
		return 0, false
	}
	if column > 0 {
		return 0, false
	}
	for _, c := range b.list {
		if typ != 0 && c.typ != typ {
			return 0, true
		}
		typ = c.typ
	}
	return typ, false
}

// comparePartitions orders two partitions of one table.
func comparePartitions(a, b partition, orders []compareFunc) int {
	if c := cmp.Compare(a.rank(), b.rank()); c != 0 || a.rank() != 0 {
		return c
	}
	switch a.bound.strategy {
	case 'h':
		return cmp.Or(cmp.Compare(a.bound.modulus, b.bound.modulus), cmp.Compare(a.bound.remainder, b.bound.remainder))
	case 'l':
		if a.first == nil || b.first == nil {
			return 0
		}
		return orders[0](a.first.bytes, b.first.bytes)
	}
	for i := range min(len(a.bound.lower), len(b.bound.lower), len(orders)) {
		x, y := a.bound.lower[i], b.bound.lower[i]
		if x.kind != y.kind {
			return cmp.Compare(x.kind, y.kind)
		}
		if x.kind != 0 {
			return 0 // both unbounded: the columns behind do not count
		}
		if c := orders[i](x.value.bytes, y.value.bytes); c != 0 {
			return c
		}
	}
	return 0
}
