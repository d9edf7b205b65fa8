package sqlfront

import (
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"short": "SELECT * FROM t WHERE a = 0",
		"group": "SELECT b || 'x', sum(a) + 1 FROM t WHERE c LIKE 'x%' GROUP BY b HAVING count(*) > 2 ORDER BY 2 DESC LIMIT 10",
		"list":  "SELECT * FROM t WHERE a IN (" + strings.Repeat("12345, ", 10_000) + "0)",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
