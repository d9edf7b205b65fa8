package fileio

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/pgfile"
)

// TestFilesGrow appends to a relation that is open: in a directory whose files
// grow it is read on, up to the end it had; elsewhere it has changed.
func TestFilesGrow(t *testing.T) {
	for _, grows := range []bool{false, true} {
		root := t.TempDir()
		write(t, root, "base/5/100", block(0))
		d := openDir(t, root)
		if grows {
			d.FilesGrow()
		}
		rel, err := d.OpenRelation(Layout{Major: 15}, RelLocator{Database: 5, Node: 100}, Main)
		require.NoError(t, err)
		file := filepath.Join(root, "base/5/100")
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.Write(block(1))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		page := make([]byte, pgfile.PageSize)
		err = rel.ReadBlocks(context.Background(), 0, page)
		if !grows {
			require.ErrorIs(t, err, ErrChanged)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, block(0), page)
		require.EqualValues(t, 1, rel.NBlocks())
		require.NoError(t, os.Truncate(file, 0))
		require.NoError(t, rel.Close())
		rel, err = d.OpenRelationLoose(Layout{Major: 15}, RelLocator{Database: 5, Node: 100}, Main)
		require.NoError(t, err)
		require.EqualValues(t, 0, rel.NBlocks())
		require.NoError(t, rel.Close())
	}
}
