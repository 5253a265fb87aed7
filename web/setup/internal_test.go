package setup

import (
	"fmt"
	"testing"
	"time"
)

func TestPreviewsGiveWayToNewerOnes(t *testing.T) {
	t.Parallel()
	var ps previews
	now := time.Now()
	for i := range mostPreviews + 2 {
		gone := ps.add(&preview{id: fmt.Sprint(i), account: 1, began: now}, now)
		if want := max(0, min(1, i-mostPreviews+1)); len(gone) != want {
			t.Errorf("preview %d: %d gone, want %d", i, len(gone), want)
		}
	}
	if _, ok := ps.of("1", 1, now); ok {
		t.Error("the oldest are still there")
	}
	if _, ok := ps.of("5", 2, now); ok {
		t.Error("a preview is another account's, too")
	}
	if _, ok := ps.of("5", 1, now); !ok {
		t.Error("a newer one is gone")
	}
}
