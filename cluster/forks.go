package cluster

import (
	"context"
	"fmt"

	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/fileio"
)

// Nearest picks the names most similar to one that was not found, at most
// three, the most similar first: what an error offers.
func Nearest(name string, among []string) []string { return nearest(name, among) }

// OpenFork opens one of the relation's forks as it is on disk. The caller
// closes it.
func (d *Database) OpenFork(ctx context.Context, rel *catalog.Relation, f fileio.Fork) (*fileio.Relation, error) {
	loc, err := d.locator(ctx, rel)
	if err != nil {
		return nil, err
	}
	out, err := d.c.openMain(loc, f)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", kindText(rel.Kind), rel.Name, err)
	}
	return out, nil
}
