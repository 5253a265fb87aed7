package votes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"overton/internal/cluster"
)

// Polis writes a vote as +1, 0 or -1, and which of +1 and -1 means agree
// depends on the program that wrote the file: agree is -1 in the database, the
// API and the exports of its web server, +1 in the exports of its math worker,
// which are the published ones. The readers below take agree as +1, -1 or 0 for
// "find out", and hold it against the counts of agreement in the same files.

// castVote is one row of a history of votes.
type castVote struct {
	participant, statement string
	value                  int     // as in the file
	at                     float64 // time, in the file's unit
}

// polisStatements is what comments.csv or comments.json says.
type polisStatements struct {
	order  []string
	known  map[string]cluster.StatementInfo
	agrees map[string]int // as counted by the exporter
	texts  map[string]string
	meta   bool // whether meta statements are marked
}

// signEvidence counts statements (or participants) whose exported number of
// agreements equals their number of +1 or of -1.
type signEvidence struct {
	plus, minus int
	// first contradiction of each sign, for the message
	plusFault, minusFault string
}

func (e *signEvidence) weigh(what string, agrees, ups, downs int) {
	if ups == downs {
		return
	}
	if agrees == ups {
		e.plus++
	} else {
		e.plusFault = cmp.Or(e.plusFault, fmt.Sprintf("%s has %d agreements by count and %d votes of +1", what, agrees, ups))
	}
	if agrees == downs {
		e.minus++
	} else {
		e.minusFault = cmp.Or(e.minusFault, fmt.Sprintf("%s has %d agreements by count and %d votes of -1", what, agrees, downs))
	}
}

// decide returns the number that means agree. given is what the caller says, 0
// for nothing; usual holds where there is nothing to go by.
func (e *signEvidence) decide(file string, given, usual int, v *Set) (int, error) {
	found := cmp.Compare(e.plus, e.minus)
	switch {
	case given != 0 && found != 0 && given != found:
		fault := e.plusFault
		if given < 0 {
			fault = e.minusFault
		}
		return 0, fmt.Errorf("%s: agree was said to be %+d, and the counts beside the votes say %+d: %s", file, given, found, fault)
	case given != 0:
		return given, nil
	case found != 0:
		return found, nil
	}
	v.Notes = append(v.Notes, fmt.Sprintf("%s: nothing shows which sign means agree; took %+d", file, usual))
	return usual, nil
}

// ReadPolis reads a Polis export folder: participants-votes.csv, the matrix with
// rows in Polis' own order; or, where that is missing, votes.csv, the history,
// in which the latest vote of a pair counts and rows come in order of the first
// vote; with comments.csv, if there, for authors, moderation and words. agree is
// the number that means agree, 0 to find out.
func ReadPolis(dir fs.FS, agree int) (*Set, error) {
	v := &Set{}
	source := voteSource{dir, v}
	var s polisStatements
	err := source.read("comments.csv", func(r io.Reader) (err error) {
		s, err = readPolisComments(r)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		v.Notes = append(v.Notes, "there is no comments.csv: authors and moderation are unknown")
	} else if err != nil {
		return nil, err
	} else if !s.meta {
		v.Notes = append(v.Notes, "comments.csv does not mark meta statements; any there are count as ordinary ones")
	}
	v.Texts = s.texts
	err = source.read("participants-votes.csv", func(r io.Reader) error { return readPolisMatrix(r, s, agree, v) })
	if errors.Is(err, fs.ErrNotExist) {
		err = source.read("votes.csv", func(r io.Reader) error { return readPolisHistory(r, s, agree, v) })
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("reading a Polis export: neither participants-votes.csv nor votes.csv is in the folder")
		}
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func readPolisComments(r io.Reader) (polisStatements, error) {
	s := polisStatements{known: map[string]cluster.StatementInfo{}, agrees: map[string]int{}, texts: map[string]string{}}
	t, err := openTable(r, "comments.csv", "comment-id", "moderated")
	if err != nil {
		return s, err
	}
	_, s.meta = t.column["is-meta"]
	_, counted := t.column["agrees"]
	// The web server does not quote the words, so commas in them make fields.
	t.rows.loosen()
	for {
		more, err := t.next()
		if err != nil {
			return s, err
		}
		if !more {
			return s, t.faults.err()
		}
		id := strings.Clone(t.id("comment-id"))
		if _, twice := s.known[id]; twice {
			t.faults.add(t.line(), "comment-id", id, "named once only")
		}
		s.order = append(s.order, id)
		s.known[id] = cluster.StatementInfo{
			ID: id, Author: strings.Clone(t.get("author-id")), Rejected: t.moderation("moderated") < 0, Meta: t.truth("is-meta"),
		}
		if counted {
			s.agrees[id] = t.whole("agrees")
		}
		text := t.get("comment-body")
		if at, ok := t.column["comment-body"]; ok && at == len(t.header)-1 && len(t.row) > at {
			text = strings.Join(t.row[at:], ",")
		}
		s.texts[id] = strings.Clone(text)
	}
}

// declare gives each statement a column, those of first before the rest.
func (s polisStatements) declare(b *cluster.Builder, first []string) {
	for _, id := range slices.Concat(first, s.order) {
		info, ok := s.known[id]
		if !ok {
			info.ID = id
		}
		b.Statement(info)
	}
}

// polisColumns are the columns of participants-votes.csv that are no statement.
var polisColumns = []string{"participant", "xid", "group-id", "n-comments", "n-votes", "n-agree", "n-disagree"}

func readPolisMatrix(r io.Reader, s polisStatements, agree int, v *Set) error {
	const file = "participants-votes.csv"
	t, err := openTable(r, file, "participant")
	if err != nil {
		return err
	}
	b := cluster.NewBuilder()
	var at []int // fields that hold votes
	var ids []string
	for i, name := range t.header {
		switch {
		case slices.Contains(polisColumns, name):
		case cluster.WholeNumber(name):
			at = append(at, i)
			ids = append(ids, name)
		default:
			t.faults.add(1, name, name, "a statement number or one of "+strings.Join(polisColumns, ", "))
		}
	}
	s.declare(b, ids)
	v.Groups = map[string]string{}
	_, counted := t.column["n-agree"]
	_, votesCounted := t.column["n-votes"]
	ups, downs := make([]int, len(ids)), make([]int, len(ids))
	var evidence signEvidence
	type entry struct{ row, column, value int32 }
	var entries []entry
	seen := map[int]bool{}
	for {
		more, err := t.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		id := t.id("participant")
		row := b.Participant(id)
		if seen[row] {
			t.faults.add(t.line(), "participant", id, "named once only")
		}
		seen[row] = true
		if g := t.get("group-id"); g != "" {
			v.Groups[strings.Clone(id)] = strings.Clone(g)
		}
		votes, up, down := 0, 0, 0
		for n, i := range at {
			value := 0
			switch t.row[i] {
			case "":
				continue
			case "1":
				value = 1
				up++
				ups[n]++
			case "-1":
				value = -1
				down++
				downs[n]++
			case "0":
			default:
				t.faults.add(t.line(), t.header[i], t.row[i], "1, 0, -1 or nothing")
			}
			votes++
			entries = append(entries, entry{int32(row), int32(n), int32(value)})
		}
		if n := t.whole("n-votes"); votesCounted && n != votes {
			t.faults.add(t.line(), "n-votes", t.get("n-votes"), "the number of votes in the row, "+strconv.Itoa(votes))
		}
		if counted {
			evidence.weigh("participant "+id, t.whole("n-agree"), up, down)
		}
	}
	if err := t.faults.err(); err != nil {
		return err
	}
	for n, id := range ids {
		if agrees, ok := s.agrees[id]; ok {
			evidence.weigh("statement "+id, agrees, ups[n], downs[n])
		}
	}
	if v.Agree, err = evidence.decide(file, agree, 1, v); err != nil {
		return err
	}
	for _, e := range entries {
		b.Cell(int(e.row), int(e.column), cluster.Vote(int(e.value)*v.Agree))
	}
	v.Matrix = b.Matrix()
	return nil
}

func readPolisHistory(r io.Reader, s polisStatements, agree int, v *Set) error {
	const file = "votes.csv"
	t, err := openTable(r, file, "timestamp", "comment-id", "voter-id", "vote")
	if err != nil {
		return err
	}
	var votes []castVote
	ups, downs := map[string]int{}, map[string]int{}
	latest := 0
	for {
		more, err := t.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		c := castVote{participant: strings.Clone(t.id("voter-id")), statement: strings.Clone(t.id("comment-id")), value: t.moderation("vote")}
		if t.get("vote") == "" {
			t.faults.add(t.line(), "vote", "", "1, 0 or -1")
		}
		at := t.whole("timestamp")
		latest = max(latest, at)
		c.at = float64(at)
		switch c.value {
		case 1:
			ups[c.statement]++
		case -1:
			downs[c.statement]++
		}
		votes = append(votes, c)
	}
	if err := t.faults.err(); err != nil {
		return err
	}
	// The math worker writes milliseconds. The web server writes seconds, and
	// the raw sign, and counts votes of +1 as agreement although they are not.
	usual := 1
	var evidence signEvidence
	if latest > 0 && latest < 1e11 {
		usual = -1
	} else {
		for _, id := range s.order {
			if agrees, ok := s.agrees[id]; ok {
				evidence.weigh("statement "+id, agrees, ups[id], downs[id])
			}
		}
	}
	if v.Agree, err = evidence.decide(file, agree, usual, v); err != nil {
		return err
	}
	v.Matrix = inArrivalOrder(votes, s, v.Agree)
	return nil
}

// inArrivalOrder builds the matrix of a history: rows in the order of first
// votes, equal times by statement and participant, columns in id order; the
// latest vote of a pair counts, of equal times the later row.
func inArrivalOrder(votes []castVote, s polisStatements, agree int) *cluster.Matrix {
	slices.SortStableFunc(votes, func(a, b castVote) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cluster.CompareIDs(a.statement, b.statement), cluster.CompareIDs(a.participant, b.participant))
	})
	b := cluster.NewBuilder()
	ids := slices.Clone(s.order)
	for _, c := range votes {
		ids = append(ids, c.statement)
	}
	slices.SortFunc(ids, cluster.CompareIDs)
	s.declare(b, slices.Compact(ids))
	for _, c := range votes {
		b.Vote(c.participant, c.statement, cluster.Vote(c.value*agree))
	}
	return b.Matrix()
}

// ReadPolisAPI reads a JSON file, a list of votes as the Polis API gives them
// (pid, tid, vote, modified; or participant_id, statement_id), with
// comments.json, if there, beside it for authors, moderation, words and the
// sign. Rows come in order of time. agree is the number that means agree, 0 to
// find out; the API itself says -1.
func ReadPolisAPI(dir fs.FS, name string, agree int) (*Set, error) {
	v := &Set{}
	source := voteSource{dir, v}
	var s polisStatements
	err := source.read("comments.json", func(r io.Reader) (err error) {
		s, err = readPolisAPIComments(r)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		v.Notes = append(v.Notes, "there is no comments.json: authors and moderation are unknown")
	} else if err != nil {
		return nil, err
	}
	v.Texts = s.texts
	var votes []castVote
	ups, downs := map[string]int{}, map[string]int{}
	faults := &voteFaults{file: name}
	err = source.read(name, func(r io.Reader) error {
		return eachJSON(r, name, func(n int, raw *polisAPIRow) bool {
			c := castVote{participant: cmp.Or(string(raw.Pid), string(raw.Participant)), statement: cmp.Or(string(raw.Tid), string(raw.Statement))}
			where := fmt.Sprintf("vote %d", n)
			if c.participant == "" {
				faults.add(0, where+" pid", "", "a participant's number")
			}
			if c.statement == "" {
				faults.add(0, where+" tid", "", "a statement's number")
			}
			var err error
			if c.value, err = strconv.Atoi(string(raw.Vote)); err != nil || c.value < -1 || c.value > 1 {
				faults.add(0, where+" vote", string(raw.Vote), "1, 0 or -1")
			}
			if raw.Modified != "" {
				if c.at, err = strconv.ParseFloat(string(raw.Modified), 64); err != nil || c.at != c.at {
					faults.add(0, where+" modified", string(raw.Modified), "a time in milliseconds")
				}
			}
			switch c.value {
			case 1:
				ups[c.statement]++
			case -1:
				downs[c.statement]++
			}
			votes = append(votes, c)
			return len(faults.all) < enoughFaults
		})
	})
	if err != nil {
		return nil, err
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	var evidence signEvidence
	for _, id := range s.order {
		if agrees, ok := s.agrees[id]; ok {
			evidence.weigh("statement "+id, agrees, ups[id], downs[id])
		}
	}
	if v.Agree, err = evidence.decide(name, agree, -1, v); err != nil {
		return nil, err
	}
	v.Matrix = inArrivalOrder(votes, s, v.Agree)
	return v, nil
}

// polisAPIRow holds a vote or a comment of the API, by either set of names.
type polisAPIRow struct {
	Pid         looseText `json:"pid"`
	Participant looseText `json:"participant_id"`
	Tid         looseText `json:"tid"`
	Statement   looseText `json:"statement_id"`
	Vote        looseText `json:"vote"`
	Modified    looseText `json:"modified"`
	Mod         looseText `json:"mod"`
	Moderated   looseText `json:"moderated"`
	IsMeta      bool      `json:"is_meta"`
	AgreeCount  *int      `json:"agree_count"`
	Text        string    `json:"txt"`
}

// looseText is a JSON string, number or null.
type looseText string

func (t *looseText) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(t))
	case b[0] == '{', b[0] == '[', b[0] == 't', b[0] == 'f':
		return fmt.Errorf("%.20s: expected a number or a string", b)
	}
	*t = looseText(b)
	return nil
}

func readPolisAPIComments(r io.Reader) (polisStatements, error) {
	s := polisStatements{known: map[string]cluster.StatementInfo{}, agrees: map[string]int{}, texts: map[string]string{}, meta: true}
	faults := &voteFaults{file: "comments.json"}
	err := eachJSON(r, "comments.json", func(n int, raw *polisAPIRow) bool {
		id, where := cmp.Or(string(raw.Tid), string(raw.Statement)), fmt.Sprintf("comment %d", n)
		if _, twice := s.known[id]; twice || id == "" {
			faults.add(0, where+" tid", id, "a number of its own")
		}
		moderated := cmp.Or(string(raw.Mod), string(raw.Moderated), "0")
		if !slices.Contains([]string{"-1", "0", "1"}, moderated) {
			faults.add(0, where+" mod", moderated, "-1, 0 or 1")
		}
		s.order = append(s.order, id)
		s.known[id] = cluster.StatementInfo{
			ID: id, Author: cmp.Or(string(raw.Pid), string(raw.Participant)), Rejected: moderated == "-1", Meta: raw.IsMeta,
		}
		if raw.AgreeCount != nil {
			s.agrees[id] = *raw.AgreeCount
		}
		s.texts[id] = raw.Text
		return len(faults.all) < enoughFaults
	})
	if err != nil {
		return s, err
	}
	return s, faults.err()
}

// eachJSON calls f for each element of a JSON list, with its number from 1, as
// long as f wants more.
func eachJSON[T any](r io.Reader, file string, f func(n int, element *T) bool) error {
	d := json.NewDecoder(r)
	open, err := d.Token()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if open != json.Delim('[') {
		return fmt.Errorf("%s: begins with %v, expected a list", file, open)
	}
	for n := 1; d.More(); n++ {
		var element T
		if err := d.Decode(&element); err != nil {
			return fmt.Errorf("%s: element %d, byte %d: %w", file, n, d.InputOffset(), err)
		}
		if !f(n, &element) {
			return nil
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
