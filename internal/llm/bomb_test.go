package llm

import (
	"strings"
	"testing"
	"time"
)

func TestAModelsFileCannotPanicOrTakeLong(t *testing.T) {
	for name, content := range map[string]string{
		"a tag":    "models: !x\nb: c",
		"commas":   "models: [" + strings.Repeat(",", 10_000) + "]",
		"brackets": "models: " + strings.Repeat("[", 10_000),
	} {
		began := time.Now()
		if _, err := ReadModels("models.yaml", []byte(content)); err == nil {
			t.Errorf("%s: was read", name)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}
