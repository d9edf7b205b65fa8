package sqlfront

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pipescan/pipescan/datum"
)

// seeds adds the texts of the golden files to a fuzz target.
func seeds(f *testing.F) {
	files, err := filepath.Glob("testdata/texts/*")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range strings.Split(string(content), "\n\n") {
			head, _, ok := strings.Cut(block, "\n----")
			if _, text, cut := strings.Cut(head, "\n"); ok && cut {
				f.Add(text)
			}
		}
	}
}

// FuzzParse: no text may end the process, and each gives a request or an error
// whose place lies in the text.
func FuzzParse(f *testing.F) {
	seeds(f)
	rel := &relation{columns: []string{"a", "b"}, primary: []string{"a"}, alone: true, env: &datum.Env{Major: 18}}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err == nil {
			err = q.bind(rel).err
		}
		if err != nil && Position(err) > 0 && Caret(text, err) == "" {
			t.Fatalf("%q: %v is at byte %d", text, err, Position(err))
		}
	})
}

// FuzzWhere is FuzzParse for conditions.
func FuzzWhere(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Where(text)
		if (e == nil) == (err == nil) {
			t.Fatalf("%q: %v and %v", text, e, err)
		}
		if err != nil && Position(err) > 0 && Caret(text, err) == "" {
			t.Fatalf("%q: %v is at byte %d", text, err, Position(err))
		}
	})
}
