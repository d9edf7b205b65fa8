package cluster

import (
	"context"
	"slices"

	"github.com/pipescan/pipescan/catalog"
)

// searchPath is the oracle's: pg_catalog, which every path begins with, then
// "$user" and public, each only if it exists. $user is the bootstrap superuser,
// as whom the oracle connects.
type searchPath []catalog.OID

// position is the place of a schema in the path, -1 when it is not in it.
func (p searchPath) position(ns catalog.OID) int { return slices.Index(p, ns) }

func (d *Database) searchPath(ctx context.Context) (searchPath, error) {
	return d.path.get(ctx, func(ctx context.Context) (searchPath, error) {
		spaces, err := d.Namespaces(ctx)
		if err != nil {
			return nil, err
		}
		roles, err := d.c.roleNames(ctx)
		if err != nil {
			return nil, err
		}
		p := searchPath{pgCatalogNamespace}
		for _, name := range []string{roles[bootstrapRole], "public"} {
			i := slices.IndexFunc(spaces, func(n catalog.Namespace) bool { return n.Name == name })
			if i >= 0 && name != "" && p.position(spaces[i].OID) < 0 {
				p = append(p, spaces[i].OID)
			}
		}
		return p, nil
	})
}

// nameTable knows the names of a catalog's objects both ways.
type nameTable struct {
	byOID  map[catalog.OID]nameKey
	byName map[nameKey]catalog.OID
}

func newNameTable() *nameTable {
	return &nameTable{map[catalog.OID]nameKey{}, map[nameKey]catalog.OID{}}
}

func (t *nameTable) add(oid, ns catalog.OID, name string) {
	t.byOID[oid] = nameKey{ns, name}
	t.byName[nameKey{ns, name}] = oid
}

// visible says whether the bare name finds the object: its schema is in the
// path, and none before it has an object of that name.
func (t *nameTable) visible(oid catalog.OID, p searchPath) bool {
	k, ok := t.byOID[oid]
	if !ok {
		return false
	}
	for _, ns := range p {
		if found, ok := t.byName[nameKey{ns, k.name}]; ok {
			return found == oid
		}
	}
	return false
}

// relNameTable holds the names of pg_class.
func (d *Database) relNameTable(ctx context.Context) (*nameTable, error) {
	return d.relNames.get(ctx, func(ctx context.Context) (*nameTable, error) {
		core, err := d.catalogs(ctx)
		if err != nil {
			return nil, err
		}
		t := newNameTable()
		for _, r := range core.sorted {
			t.add(r.OID, r.Namespace, r.Name)
		}
		return t, nil
	})
}

// loadNames reads the names of a catalog of text search objects.
func (d *Database) loadNames(ctx context.Context, oid catalog.OID, name, want string) (*nameTable, error) {
	type named struct {
		OID, Namespace catalog.OID
		Name           string
	}
	rows, err := loadRows(ctx, d, oid, name, want, func(r *catRow) (named, error) {
		return named{Name: r.str(), Namespace: r.oid(), OID: r.oid()}, nil
	})
	if err != nil {
		return nil, err
	}
	t := newNameTable()
	for _, r := range rows {
		t.add(r.OID, r.Namespace, r.Name)
	}
	return t, nil
}

func (d *Database) tsConfigTable(ctx context.Context) (*nameTable, error) {
	return d.tsConfigs.get(ctx, func(ctx context.Context) (*nameTable, error) {
		return d.loadNames(ctx, oidTSConfig, "pg_ts_config", "cfgname cfgnamespace oid")
	})
}

func (d *Database) tsDictTable(ctx context.Context) (*nameTable, error) {
	return d.tsDicts.get(ctx, func(ctx context.Context) (*nameTable, error) {
		return d.loadNames(ctx, oidTSDict, "pg_ts_dict", "dictname dictnamespace oid")
	})
}

// function is a row of pg_proc or pg_operator: an object told from others of
// its name by its argument types. (Fields are exported for the store.)
type function struct {
	OID, Namespace catalog.OID
	Name           string
	Args           []catalog.OID // of an operator: left (0: none), right
}

// funcTable is pg_proc or pg_operator.
type funcTable struct {
	byOID  map[catalog.OID]*function
	byName map[string][]*function
}

func newFuncTable(rows []function) *funcTable {
	t := &funcTable{map[catalog.OID]*function{}, map[string][]*function{}}
	for i := range rows {
		f := &rows[i]
		t.byOID[f.OID] = f
		t.byName[f.Name] = append(t.byName[f.Name], f)
	}
	return t
}

// visible says whether name and argument types find the function.
func (t *funcTable) visible(f *function, p searchPath) bool {
	at := p.position(f.Namespace)
	if at < 0 {
		return false
	}
	for _, g := range t.byName[f.Name] {
		if other := p.position(g.Namespace); other >= 0 && other < at && slices.Equal(f.Args, g.Args) {
			return false
		}
	}
	return true
}

// alone says whether the bare name finds the function and no other one: other
// argument types count, those that an earlier schema hides do not.
func (t *funcTable) alone(f *function, p searchPath) bool {
	for _, g := range t.byName[f.Name] {
		if g != f && t.visible(g, p) {
			return false
		}
	}
	return t.visible(f, p)
}

func (d *Database) procTable(ctx context.Context) (*funcTable, error) {
	return d.procs.get(ctx, func(ctx context.Context) (*funcTable, error) {
		rows, err := loadRows(ctx, d, oidProc, "pg_proc", "oid pronamespace proname proargtypes", func(r *catRow) (function, error) {
			f := function{OID: r.oid(), Namespace: r.oid(), Name: r.str()}
			var err error
			f.Args, err = r.oids()
			return f, err
		})
		return newFuncTable(rows), err
	})
}

func (d *Database) operatorTable(ctx context.Context) (*funcTable, error) {
	return d.operators.get(ctx, func(ctx context.Context) (*funcTable, error) {
		rows, err := loadRows(ctx, d, oidOperator, "pg_operator", "oid oprnamespace oprname oprleft oprright", func(r *catRow) (function, error) {
			return function{OID: r.oid(), Namespace: r.oid(), Name: r.str(), Args: []catalog.OID{r.oid(), r.oid()}}, nil
		})
		return newFuncTable(rows), err
	})
}
