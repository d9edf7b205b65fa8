package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/internal/pgtest"
)

// TestExamples builds each program and runs it on a stopped cluster.
func TestExamples(t *testing.T) {
	s := pgtest.New(t, 15, pgtest.Options{})
	s.Start()
	s.SQL("postgres", "CREATE TABLE orders AS SELECT i AS id, 'note ' || i AS note FROM generate_series(1, 5000) i")
	s.Stop()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./serial", "./parallel", "./customstage")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"serial", "-D", s.Dir(), "-limit", "2", "orders"}, []string{"[id note]\n1\tnote 1\t\n2\tnote 2\t\n"}},
		{[]string{"parallel", "-D", s.Dir(), "orders"}, []string{"lanes  1  pulled", "lanes  2  fused", "lanes  1  actors", "5000 rows"}},
		{[]string{"customstage", "-D", s.Dir(), "-word", "499", "orders"}, []string{"499\n1499\n2499\n", "15 rows contain \"499\"\n"}},
	} {
		cmd := exec.Command(filepath.Join(bin, c.args[0]), c.args[1:]...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		for _, want := range c.want {
			require.Contains(t, string(out), want)
		}
	}
}
