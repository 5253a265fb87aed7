package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

//go:embed polls.csv
var polls []byte

// topics lie on the two ideological axes.
var topics = []string{"Individualism vs. Collectivism", "Women's Rights vs. Gender Conservatism", "Free Speech vs. Social Harmony"}

const studyYAML = `title: What do you think?
slug: surveys
language: en
recruitment:
  minutes: 15
  prolific:
    codes: {completed: C1AAAA}
flow:
  - survey: {instrument: us-demographics}
  - survey: {instrument: pobs.json, items_per_page: topic, repeat: 6, order: reversed_half}
  - survey: {instrument: polls.csv, title: A few more questions, items_per_page: 5, order: reversed_half}
`

func newSurveys() *cobra.Command {
	return &cobra.Command{
		Use:   "surveys POBS.json FOLDER",
		Short: "Write the folder of a study of surveys alone",
		Long: `Write the folder of a study of surveys alone: demographics, three topics of a
POBs survey with items that come twice, and 30 polls made for it.`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return writeSurveys(args[0], args[1]) },
	}
}

func writeSurveys(pobs, folder string) error {
	content, err := os.ReadFile(pobs)
	if err != nil {
		return err
	}
	var file struct {
		Survey map[string]json.RawMessage `json:"survey"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return fmt.Errorf("%s: %w", pobs, err)
	}
	var all, chosen []json.RawMessage
	if err := json.Unmarshal(file.Survey["topics"], &all); err != nil {
		return fmt.Errorf("%s: %w", pobs, err)
	}
	for _, raw := range all {
		var topic struct{ Name string }
		if err := json.Unmarshal(raw, &topic); err != nil {
			return fmt.Errorf("%s: %w", pobs, err)
		}
		if slices.Contains(topics, topic.Name) {
			chosen = append(chosen, raw)
		}
	}
	if len(chosen) != len(topics) {
		return fmt.Errorf("%s has %d of the topics %q", pobs, len(chosen), topics)
	}
	if file.Survey["topics"], err = json.Marshal(chosen); err != nil {
		return err
	}
	three, err := json.Marshal(file)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"study.yaml": []byte(studyYAML), "pobs.json": three, "polls.csv": polls} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
