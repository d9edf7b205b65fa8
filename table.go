package pipescan

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/cluster"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/fileio"
)

// Table is a table, partitioned table, materialized view, sequence, TOAST
// table or system catalog. It is safe for concurrent use.
type Table struct {
	db        *DB
	rel       *catalog.Relation
	namespace string
	only      bool

	once   sync.Once
	schema *Schema
	err    error // why there is no schema
}

// TableFilter says which tables DB.Tables lists.
type TableFilter struct {
	// Pattern is a shell pattern (*, ?, [...]) over schema.name, or over the
	// name alone when it has no dot; "" means all.
	Pattern string
	// Kinds of pg_class.relkind; "" means r, p, m, S.
	Kinds string
	// Catalogs includes pg_catalog, information_schema and pg_toast.
	Catalogs bool
}

// Tables lists tables by schema and name.
func (db *DB) Tables(ctx context.Context, f TableFilter) ([]*Table, error) {
	rels, err := db.database.Relations(ctx)
	if err != nil {
		return nil, err
	}
	if f.Kinds == "" {
		f.Kinds = "rpmS"
	}
	if _, err := path.Match(f.Pattern, ""); err != nil {
		return nil, fmt.Errorf("pattern %q: %w", f.Pattern, err)
	}
	var list []*Table
	for _, r := range rels {
		ns, _, err := db.database.Namespace(r.Namespace)
		if err != nil {
			return nil, err
		}
		if !strings.ContainsRune(f.Kinds, rune(r.Kind)) || !f.Catalogs && isSystemSchema(ns) || !matches(f.Pattern, db.Text(ns), db.Text(r.Name)) {
			continue
		}
		list = append(list, &Table{db: db, rel: r, namespace: ns})
	}
	slices.SortFunc(list, func(a, b *Table) int {
		if c := strings.Compare(a.namespace, b.namespace); c != 0 {
			return c
		}
		return strings.Compare(a.rel.Name, b.rel.Name)
	})
	return list, nil
}

// isSystemSchema says whether a schema belongs to the system.
func isSystemSchema(name string) bool {
	return name == "information_schema" || strings.HasPrefix(name, "pg_")
}

// matches applies a TableFilter's pattern, which was checked before.
func matches(pattern, namespace, name string) bool {
	if pattern == "" {
		return true
	}
	subject := name
	if strings.Contains(pattern, ".") {
		subject = namespace + "." + name
	}
	ok, _ := path.Match(pattern, subject)
	return ok
}

// Table finds a table by its SQL name: quoting and folding are SQL's, the
// schema is public (then pg_catalog) unless given, and a leading ONLY leaves
// out its children. Errors: *cluster.NotFoundError with the nearest names;
// ErrUnsupported for kinds that have no rows of their own.
func (db *DB) Table(ctx context.Context, sqlName string) (*Table, error) {
	t, err := db.AnyRelation(ctx, sqlName)
	if err != nil {
		return nil, err
	}
	return t, t.checkKind()
}

// AnyRelation is Table for relations of any kind, indexes for example, whose
// pages can be looked at even where there are no rows to scan.
func (db *DB) AnyRelation(ctx context.Context, sqlName string) (*Table, error) {
	only := false
	if len(sqlName) > 5 && strings.EqualFold(sqlName[:5], "only ") {
		only, sqlName = true, strings.TrimSpace(sqlName[5:])
	}
	parts, err := catalog.ParseName(sqlName)
	if err != nil {
		return nil, err
	}
	if len(parts) == 3 && parts[0] == db.name {
		parts = parts[1:]
	}
	for i := range parts {
		parts[i] = db.raw(parts[i])
	}
	var candidates []string
	switch len(parts) {
	case 1:
		candidates = []string{"public", "pg_catalog"}
	case 2:
		candidates = parts[:1]
	default:
		return nil, fmt.Errorf("%w: table name %s has %d parts: want schema.table (another database is chosen with -d)", ErrNotFound, sqlName, len(parts))
	}
	name := parts[len(parts)-1]
	for i, ns := range candidates {
		rel, err := db.database.RelationByName(ctx, ns, name)
		if err != nil {
			if i < len(candidates)-1 && isNotFound(err) {
				continue
			}
			if i > 0 && isNotFound(err) {
				_, err = db.database.RelationByName(ctx, candidates[0], name)
			}
			return nil, db.shared.doubt(db.readable(err))
		}
		return &Table{db: db, rel: rel, namespace: ns, only: only}, nil
	}
	return nil, &cluster.NotFoundError{Kind: "table", Name: sqlName}
}

// checkKind refuses relations that have no rows to scan.
func (t *Table) checkKind() error {
	what := ""
	switch t.rel.Kind {
	case 'r', 'p', 'm', 'S', 't':
		return nil
	case 'v':
		what = "is a view: it has no rows of its own; scan the tables it selects from"
	case 'f':
		what = "is a foreign table: its rows lie on another server"
	case 'i', 'I':
		what = "is an index: scan its table, or look at its pages with inspect"
	case 'c':
		what = "is a composite type: it has no rows"
	default:
		what = fmt.Sprintf("is of kind %q, which has no rows to scan", t.rel.Kind)
	}
	return fmt.Errorf("%w: %s %s", ErrUnsupported, t.Name(), what)
}

// Name is the schema-qualified name, quoted where SQL needs it, in UTF-8.
func (t *Table) Name() string {
	major := t.db.Major()
	return t.db.Text(catalog.QuoteIdent(major, t.namespace) + "." + catalog.QuoteIdent(major, t.rel.Name))
}

// Namespace is the schema's name, unquoted, in the database's encoding.
func (t *Table) Namespace() string { return t.namespace }

// Relation is the table's pg_class row with its columns.
func (t *Table) Relation() *catalog.Relation { return t.rel }

// Only says whether the name asked for the table without its children.
func (t *Table) Only() bool { return t.only }

// Schema returns the table's columns as `SELECT *` lists them: dropped columns
// are left out, and virtual generated ones as Options.VirtualColumns says. It is empty when the table's types
// cannot be read from the catalogs; Plan and Scan then say why.
func (t *Table) Schema() *Schema {
	s, _ := t.resolve()
	return s
}

// resolve makes the schema once.
func (t *Table) resolve() (*Schema, error) {
	t.once.Do(func() { t.schema, t.err = t.makeSchema() })
	return t.schema, t.err
}

// makeSchema resolves the types of all columns.
func (t *Table) makeSchema() (*Schema, error) {
	s := &Schema{}
	for i := range t.rel.Columns {
		c := &t.rel.Columns[i]
		if c.Dropped {
			continue
		}
		keep, err := true, error(nil)
		if c.Generated == 'v' {
			keep, err = t.keepVirtual(c)
		}
		var f Field
		if keep && err == nil {
			f, err = t.db.columnField(c)
		}
		if err != nil {
			return &Schema{}, fmt.Errorf("%s: column %q: %w", t.Name(), c.Name, t.db.blameAttribute(err))
		}
		if keep {
			s.Fields = append(s.Fields, f)
		}
	}
	return s, nil
}

// columnField makes the field of a stored column.
func (db *DB) columnField(c *catalog.Column) (Field, error) {
	codec, err := datum.For(c.Type, c.Typmod, db.env)
	if err != nil {
		return Field{}, err
	}
	if err := db.sameLayout(c); err != nil {
		return Field{}, err
	}
	name, err := catalog.FormatTypeMod(db.database, db.Major(), c.Type, c.Typmod)
	if err != nil {
		return Field{}, err
	}
	width := int(max(c.Len, 0))
	return Field{Name: c.Name, Type: c.Type, Typmod: c.Typmod, TypeName: name, NotNull: c.NotNull, Num: c.Num, Width: width, Codec: codec, Collation: c.Collation}, nil
}

// Open opens the table's main fork, read-only; the caller closes it.
func (t *Table) Open(ctx context.Context) (*fileio.Relation, error) {
	return t.db.database.OpenRelation(ctx, t.rel)
}

// OpenFork opens another of the relation's forks; the caller closes it.
func (t *Table) OpenFork(ctx context.Context, f fileio.Fork) (*fileio.Relation, error) {
	return t.db.database.OpenFork(ctx, t.rel, f)
}

// Readable says whether every column of the table can be read, by its type:
// the first that cannot is an ErrUnsupported. NULLs of such a type can be read
// all the same.
func (t *Table) Readable() error {
	s, err := t.resolve()
	if err != nil {
		return err
	}
	for i := range s.Fields {
		if err := datum.Supported(s.Fields[i].Codec); err != nil {
			return fmt.Errorf("column %q: %w", s.Fields[i].Name, err)
		}
	}
	return nil
}
