package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"overton/templates/report"
)

// input identifies a file that a result was computed from.
type input = report.Input

// readInput reads a whole file and records which file it was.
func readInput(path string) ([]byte, input, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, input{}, fmt.Errorf("reading the input: %w", err)
	}
	sum := sha256.Sum256(content)
	return content, input{File: filepath.Base(path), SHA256: hex.EncodeToString(sum[:])}, nil
}

// progress shows the progress of long work, on a terminal only.
func progress(stderr io.Writer, what string, steps int) *progressbar.ProgressBar {
	if f, ok := stderr.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return progressbar.DefaultSilent(int64(steps))
	}
	return progressbar.NewOptions(steps, progressbar.OptionSetWriter(stderr), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
}
