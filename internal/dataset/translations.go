package dataset

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"

	"overton/internal/instrument"
)

// Translation is an item's wording in another language, for one model or for
// all.
type Translation struct {
	Model    string // "" for all
	Language string
	Item     string
	Wording  instrument.Wording
}

var translationColumns = []column{{"model", false}, {"language", true}, {"item", true}, {"option", true}, {"original", true}, {"translation", true}}

// WriteTranslations writes a table for review: a row for each text, an item's own text without an option,
// next to the text it translates.
func WriteTranslations(in instrument.Instrument, translations []Translation) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(names(translationColumns))
	for _, t := range translations {
		it, ok := in.Item(t.Item)
		if !ok || len(t.Wording.Labels) != len(it.Options) {
			return nil, fmt.Errorf("the translation of item %s into %s does not fit the instrument", t.Item, t.Language)
		}
		_ = w.Write([]string{t.Model, t.Language, t.Item, "", it.Text, t.Wording.Text})
		for k, o := range it.Options {
			_ = w.Write([]string{t.Model, t.Language, t.Item, o.Code, o.Label, t.Wording.Labels[k]})
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("writing translations: %w", err)
	}
	return b.Bytes(), nil
}

// ReadTranslations reads such a table. Items are translated whole, and from the
// words that the instrument has.
func ReadTranslations(name string, content []byte, in instrument.Instrument) ([]Translation, error) {
	var faults Faults
	s, ok := readSheet(name, content, translationColumns, &faults)
	if !ok {
		return nil, faults.orNil()
	}
	var list []Translation
	at := map[[3]string]int{}
	first := map[[3]string]int{}
	for row := range s.Rows {
		if s.ragged(row) {
			continue
		}
		key := [3]string{s.cell(row, "model"), s.cell(row, "language"), s.cell(row, "item")}
		it, known := in.Item(key[2])
		if !known {
			s.refuse(row, "item", key[2], "is not an item of %s", in.Name)
			continue
		}
		if !languagePattern.MatchString(key[1]) {
			s.refuse(row, "language", key[1], "is not a language; expected a tag such as es or pt-BR")
			continue
		}
		i, there := at[key]
		if !there {
			i = len(list)
			at[key], first[key] = i, row
			list = append(list, Translation{key[0], key[1], key[2], instrument.Wording{Labels: make([]string, len(it.Options))}})
		}
		original, place := it.Text, &list[i].Wording.Text
		if code := s.cell(row, "option"); code != "" {
			k := slices.IndexFunc(it.Options, func(o instrument.Option) bool { return o.Code == code })
			if k < 0 {
				s.refuse(row, "option", code, "is not an option of item %s; expected one of %s", it.ID, optionCodes(it))
				continue
			}
			original, place = it.Options[k].Label, &list[i].Wording.Labels[k]
		}
		if got := s.cell(row, "original"); got != original {
			s.refuse(row, "original", got, "is not what the instrument says; expected %q", original)
		}
		if *place != "" {
			s.refuse(row, "translation", s.cell(row, "translation"), "is the second translation of this text; expected one")
		}
		*place = cmp.Or(s.text(row, "translation", "the translation"), " ")
	}
	for _, t := range list {
		if t.Wording.Text == "" || slices.Contains(t.Wording.Labels, "") {
			s.refuse(first[[3]string{t.Model, t.Language, t.Item}], "item", t.Item, "is incomplete in %s; expected a translation of its text and of every option", t.Language)
		}
	}
	return list, faults.orNil()
}
