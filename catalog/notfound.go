package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotFound is what every *NotFoundError is, for errors.Is.
var ErrNotFound = errors.New("not found")

// NotFoundError names an object that does not exist. It is an ErrNotFound.
type NotFoundError struct {
	Kind    string // "database", "schema", "relation"
	Name    string // as asked for
	Nearest []string
}

// Error names the object and those with the most similar names.
func (e *NotFoundError) Error() string {
	msg := fmt.Sprintf("%s %q does not exist", e.Kind, e.Name)
	switch len(e.Nearest) {
	case 0:
		return msg
	case 1:
		return msg + fmt.Sprintf("; did you mean %q?", e.Nearest[0])
	}
	quoted := make([]string, len(e.Nearest))
	for i, n := range e.Nearest {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return msg + "; did you mean one of " + strings.Join(quoted, ", ") + "?"
}

// Is makes errors.Is(err, ErrNotFound) true.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// NearestMax is how many names an error offers.
const NearestMax = 3

// Nearest picks the names most similar to one that was not found, the best
// first.
func Nearest(name string, among []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for _, n := range among {
		limit := max(len(name), len(n))/3 + 1
		far := distance(strings.ToLower(name), strings.ToLower(n), limit)
		if far > limit && len(name) >= 3 && strings.Contains(strings.ToLower(n), strings.ToLower(name)) {
			far = limit
		}
		if far <= limit {
			found = append(found, candidate{n, far})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.far - b.far })
	var out []string
	for _, c := range found[:min(len(found), NearestMax)] {
		out = append(out, c.name)
	}
	return out
}

// distance counts the insertions, deletions and replacements between two
// names; anything over limit is limit+1.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return min(row[len(b)], limit+1)
}
