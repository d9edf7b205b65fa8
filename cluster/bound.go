package cluster

import (
	"context"
	"encoding/binary"
	"strconv"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
)

// partitionBound is relpartbound: which rows a partition takes.
type partitionBound struct {
	strategy           byte // l list, r range, h hash
	isDefault          bool
	modulus, remainder int64
	list               []constant
	hasNull            bool
	lower              []rangeDatum
}

// constant is a value of a bound, as a codec and a comparison take it: the
// bytes of a fixed-width type, the payload of a varlena.
type constant struct {
	typ   catalog.OID
	bytes []byte
}

// rangeDatum is one column of a range's bound.
type rangeDatum struct {
	kind  int64 // -1 MINVALUE, 0 a value, 1 MAXVALUE
	value constant
}

// parseBound reads a PARTITIONBOUNDSPEC.
func parseBound(text string) (*partitionBound, error) {
	n, err := parseNode(text)
	if err != nil {
		return nil, err
	}
	if n.typ != "PARTITIONBOUNDSPEC" {
		return nil, pgfile.Corruptf(-1, "partition bound is a %q", n.typ)
	}
	b := &partitionBound{isDefault: n.word("is_default") == "true"}
	if s := n.word("strategy"); len(s) == 1 {
		b.strategy = s[0]
	}
	switch b.strategy {
	case 'h':
		b.modulus, err = n.int("modulus")
		if err == nil {
			b.remainder, err = n.int("remainder")
		}
	case 'l':
		err = b.parseList(n.fields["listdatums"].list)
	case 'r':
		err = b.parseLower(n.fields["lowerdatums"].list)
	default:
		err = pgfile.Corruptf(-1, "partition bound of strategy %q", n.word("strategy"))
	}
	return b, err
}

func (b *partitionBound) parseList(datums []nodeValue) error {
	for _, d := range datums {
		c, null, err := parseConst(d.node)
		if err != nil {
			return err
		}
		if null {
			b.hasNull = true
		} else {
			b.list = append(b.list, c)
		}
	}
	if len(b.list) == 0 && !b.hasNull && !b.isDefault {
		return pgfile.Corruptf(-1, "list partition without a value")
	}
	return nil
}

func (b *partitionBound) parseLower(datums []nodeValue) error {
	for _, d := range datums {
		if d.node == nil || d.node.typ != "PARTITIONRANGEDATUM" {
			return pgfile.Corruptf(-1, "range bound that is no PARTITIONRANGEDATUM")
		}
		kind, err := d.node.int("kind")
		if err != nil {
			return err
		}
		r := rangeDatum{kind: kind}
		if kind == 0 {
			var null bool
			if r.value, null, err = parseConst(d.node.fields["value"].node); err != nil {
				return err
			}
			if null {
				return pgfile.Corruptf(-1, "range bound that is NULL")
			}
		}
		b.lower = append(b.lower, r)
	}
	if len(b.lower) == 0 && !b.isDefault {
		return pgfile.Corruptf(-1, "range partition without a bound")
	}
	return nil
}

// parseConst reads a CONST node:
//
//	:consttype 23 ... :constlen 4 :constbyval true :constisnull false ... :constvalue 4 [ 1 0 0 0 0 0 0 0 ]
//
// A value passed by value is written as all 8 bytes of a Datum, whatever its
// length; others as they are, a varlena with its 4-byte header.
func parseConst(n *node) (c constant, null bool, err error) {
	if n == nil || n.typ != "CONST" {
		return c, false, pgfile.Corruptf(-1, "bound value that is no constant")
	}
	typ, err := n.int("consttype")
	if err != nil {
		return c, false, err
	}
	c.typ = catalog.OID(typ)
	if n.word("constisnull") == "true" {
		return c, true, nil
	}
	length, err := n.int("constlen")
	if err != nil {
		return c, false, err
	}
	b, err := constBytes(n.fields["constvalue"].words)
	if err != nil {
		return c, false, err
	}
	switch {
	case length > 0 && int64(len(b)) >= length:
		c.bytes = b[:length]
	case length == -1 && len(b) >= 4 && b[0]&3 == 0 && int64(binary.LittleEndian.Uint32(b)>>2) == int64(len(b)):
		c.bytes = b[4:]
	case length == -1 && len(b) >= 1 && b[0]&1 == 1 && int(b[0]>>1) == len(b):
		c.bytes = b[1:]
	case length == -2 && len(b) >= 1:
		c.bytes = b[:len(b)-1]
	default:
		return c, false, pgfile.Corruptf(-1, "constant of length %d in %d bytes", length, len(b))
	}
	if size := scalarOrder[c.typ].size; size != 0 && len(c.bytes) != size {
		return c, false, pgfile.Corruptf(-1, "constant of type %d in %d bytes", c.typ, len(c.bytes))
	}
	return c, false, nil
}

// constBytes reads "4 [ 1 0 0 0 0 0 0 0 ]": bytes as signed numbers.
func constBytes(words []string) ([]byte, error) {
	if len(words) < 3 || words[1] != "[" || words[len(words)-1] != "]" {
		return nil, pgfile.Corruptf(-1, "constant without its bytes")
	}
	var out []byte
	for _, w := range words[2 : len(words)-1] {
		v, err := strconv.ParseInt(w, 10, 16)
		if err != nil || v < -128 || v > 255 {
			return nil, pgfile.Corruptf(-1, "constant with the byte %q", w)
		}
		out = append(out, byte(v))
	}
	return out, nil
}

// partitionKey is a row of pg_partitioned_table.
type partitionKey struct {
	Rel        catalog.OID
	Classes    []catalog.OID // operator classes
	Collations []catalog.OID
}

// partitionKeyOf is the key of a partitioned table.
func (d *Database) partitionKeyOf(ctx context.Context, rel *catalog.Relation) (partitionKey, error) {
	all, err := d.keys.get(ctx, func(ctx context.Context) (map[catalog.OID]partitionKey, error) {
		rows, err := loadRows(ctx, d, oidPartitioned, "pg_partitioned_table", "partrelid partclass partcollation", func(r *catRow) (partitionKey, error) {
			k := partitionKey{Rel: r.oid()}
			var err1, err2 error
			k.Classes, err1 = r.oids()
			k.Collations, err2 = r.oids()
			return k, errFirst(err1, err2)
		})
		out := map[catalog.OID]partitionKey{}
		for _, k := range rows {
			out[k.Rel] = k
		}
		return out, err
	})
	if err != nil {
		return partitionKey{}, err
	}
	k, ok := all[rel.OID]
	if !ok {
		e := pgfile.Corruptf(-1, "pg_partitioned_table has no row of %q", rel.Name)
		e.Remedy = "scan the partitions one by one"
		return k, d.blame(ctx, oidPartitioned, e)
	}
	return k, nil
}

// boundOf is the bound of a partition.
func (d *Database) boundOf(ctx context.Context, rel *catalog.Relation) (*partitionBound, error) {
	all, err := d.bounds.get(ctx, d.loadBounds)
	if err != nil {
		return nil, err
	}
	text, ok := all[rel.OID]
	if !ok {
		err = pgfile.Corruptf(-1, "pg_class holds no bound")
	} else {
		var b *partitionBound
		if b, err = parseBound(text); err == nil {
			return b, nil
		}
	}
	e := pgfile.Corruptf(-1, "the bound of partition %q: %v", rel.Name, err)
	e.Remedy = "scan the partitions one by one"
	return nil, d.blame(ctx, oidClass, e)
}

// loadBounds reads the relpartbound of every partition.
func (d *Database) loadBounds(ctx context.Context) (map[catalog.OID]string, error) {
	class, err := d.bootCatalog(ctx, oidClass, "pg_class")
	if err != nil {
		return nil, err
	}
	out := map[catalog.OID]string{}
	_, err = class.scan(ctx, d.c, "oid relpartbound", func(r *catRow) error {
		if oid, text := r.oid(), r.str(); text != "" {
			out[oid] = text
		}
		return nil
	})
	return out, err
}
