package qual

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/pipescan/pipescan/internal/pgtest"
)

func TestZZ(t *testing.T) {
	for _, m := range pgtest.Versions() {
		s := pgtest.New(t, m, pgtest.Options{})
		s.Start()
		c := s.Conn("postgres")
		b, _ := os.ReadFile("/tmp/q.sql")
		for _, q := range strings.Split(string(b), "\n") {
			if q == "" {
				continue
			}
			r, err := c.PgConn().Exec(context.Background(), q).ReadAll()
			if err != nil {
				t.Logf("%d %s => %.200v", m, q, err)
				continue
			}
			o := ""
			for _, row := range r[0].Rows {
				for _, v := range row {
					if v == nil {
						o += "NULL "
					} else {
						o += string(v) + " "
					}
				}
			}
			if len(o) > 200 {
				o = o[:200]
			}
			t.Logf("%d %s => %s", m, q, o)
		}
		s.Stop()
	}
}
