package qual

import (
	"os"
	"slices"
	"testing"

	"github.com/pipescan/pipescan/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

// testVersions are the versions that tests of every run use: 15 and 18, or
// those that the environment asks for.
func testVersions() []int {
	all := pgtest.Versions()
	if os.Getenv("PIPESCAN_TEST_VERSIONS") != "" {
		return all
	}
	return slices.DeleteFunc(all, func(v int) bool { return v != 15 && v != 18 })
}
