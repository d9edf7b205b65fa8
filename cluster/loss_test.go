package cluster

import (
	"sync"

	"github.com/pipescan/pipescan/stages"
)

// lossList collects losses.
type lossList struct {
	mu     sync.Mutex
	losses []stages.Loss
}

func (l *lossList) add(loss stages.Loss) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losses = append(l.losses, loss)
	return nil
}

func (l *lossList) all() []stages.Loss {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.losses
}
