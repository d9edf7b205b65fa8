package dump

import (
	"fmt"
	"path"
	"strings"

	"github.com/pipescan/pipescan"
)

// wanted applies -t, -n and -T. A table pattern with a dot is matched against
// schema.table, one without against the table's name.
func (r *runner) wanted(t *pipescan.Table) (bool, error) {
	schema, name := t.Text(t.Namespace()), t.Text(t.Relation().Name)
	if len(r.o.Tables) > 0 {
		if ok, err := anyTable(r.o.Tables, schema, name); !ok || err != nil {
			return false, err
		}
	}
	if len(r.o.Schemas) > 0 {
		if ok, err := anyMatch(r.o.Schemas, schema); !ok || err != nil {
			return false, err
		}
	}
	out, err := anyTable(r.o.Exclude, schema, name)
	return !out, err
}

// anyTable says whether one of the patterns names the table.
func anyTable(patterns []string, schema, name string) (bool, error) {
	for _, p := range patterns {
		subject := name
		if strings.Contains(p, ".") {
			subject = schema + "." + name
		}
		if ok, err := anyMatch([]string{p}, subject); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// anyMatch says whether one of the shell patterns matches s.
func anyMatch(patterns []string, s string) (bool, error) {
	for _, p := range patterns {
		ok, err := path.Match(p, s)
		if err != nil {
			return false, fmt.Errorf("pattern %q: %w", p, err)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}
