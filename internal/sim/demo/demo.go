// Package demo holds the demo study as files: a study folder like any other,
// and the opinions that virtual participants voice in it.
//
// study.yaml, consent.md, questions.csv, responses.csv and seeds.csv are the
// study. Two other files plant the truth that an analysis should find again:
//
//   - opinions.csv (question_id, viewpoint, free_response): what people of each
//     viewpoint say;
//   - stances.csv (question_id, viewpoint, model, represents, stance): how far,
//     from 0 to 1, each model's response represents the viewpoint, and the
//     endpoint it is closer to: 1, 2, neutral, or empty where the question has
//     no endpoints.
//
// Every question has three viewpoints. They appear in the same order in both
// files, and the question's three seeds in seeds.csv voice them in that order.
//
// All texts were written for the demo, and its models are fictional. Reading
// the files is not done here: study folders belong to dataset, the opinions to
// the package sim.
package demo

import (
	"embed"
	"io/fs"
)

//go:embed study.yaml *.md *.csv
var files embed.FS

// Files returns the demo study's folder.
func Files() fs.FS { return files }
