package cluster

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pipescan/pipescan/batch"
)

func TestMain(m *testing.M) {
	batch.PoisonReleased(true)
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) // a dependency of pipeline starts two on import
}
