package votes

import (
	"os"
	"path/filepath"
	"testing"

	"overton/internal/cluster"
)

func BenchmarkConversation(b *testing.B) {
	dir := filepath.Join(polisFolder(b), "openData", "vtaiwan.uberx")
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, err := ReadPolis(os.DirFS(dir), 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	v, err := ReadPolis(os.DirFS(dir), 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, method := range cluster.Methods() {
		b.Run(string(method), func(b *testing.B) {
			o := cluster.DefaultOptions()
			o.Method = method
			for b.Loop() {
				group(b, v.Matrix, o)
			}
		})
	}
}
