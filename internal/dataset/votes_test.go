package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"overton/internal/cluster"
)

// folderOf makes a folder of files from name and content pairs.
func folderOf(pairs ...string) fstest.MapFS {
	dir := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		dir[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return dir
}

// cellsOf lists a matrix's votes as "participant statement vote", sorted.
func cellsOf(m *cluster.Matrix) []string {
	var list []string
	n, _ := m.Dims()
	for i := range n {
		columns, votes := m.Row(i)
		for k, j := range columns {
			list = append(list, fmt.Sprintf("%s %s %+d", m.Participant(i), m.Statement(int(j)).ID, votes[k]))
		}
	}
	slices.Sort(list)
	return list
}

func wantCells(t *testing.T, v *Votes, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := cellsOf(v.Matrix); !slices.Equal(got, want) {
		t.Errorf("votes %q, want %q", got, want)
	}
}

const (
	polisComments = "timestamp,datetime,comment-id,author-id,agrees,disagrees,moderated,comment-body\n" +
		"10,x,0,5,2,0,1,\"One,\nand \"\"two\"\"\"\n" +
		"11,x,1,6,0,2,-1,Plain\n" +
		"12,x,7,5,0,0,0,Nobody saw this\n"
	polisMatrix = "participant,xid,group-id,n-comments,n-votes,n-agree,n-disagree,0,1\n" +
		"6,,1,1,2,1,1,1,-1\n" +
		"5,,,2,1,1,0,1,\n" +
		"9,,0,0,1,0,1,,-1\n"
)

func TestPolisMatrixIsRead(t *testing.T) {
	v, err := ReadPolis(folderOf("comments.csv", polisComments, "participants-votes.csv", "\ufeff"+polisMatrix), 0)
	wantCells(t, v, err, "5 0 +1", "6 0 +1", "6 1 -1", "9 1 -1")
	if v.Agree != 1 || v.Groups["6"] != "1" || v.Groups["9"] != "0" || len(v.Groups) != 2 {
		t.Errorf("agree %d, groups %v", v.Agree, v.Groups)
	}
	if v.Matrix.Participant(0) != "6" || v.Matrix.Participant(2) != "9" {
		t.Error("rows are not in the order of the file")
	}
	var infos []string
	_, n := v.Matrix.Dims()
	for j := range n {
		infos = append(infos, fmt.Sprintf("%+v", v.Matrix.Statement(j)))
	}
	want := []string{"{ID:0 Author:5 Rejected:false Meta:false}", "{ID:1 Author:6 Rejected:true Meta:false}", "{ID:7 Author:5 Rejected:false Meta:false}"}
	if !slices.Equal(infos, want) {
		t.Errorf("statements %q", infos)
	}
	if v.Texts["0"] != "One,\nand \"two\"" || v.Texts["7"] != "Nobody saw this" {
		t.Errorf("texts %q", v.Texts)
	}
	if len(v.Files) != 2 || len(v.Hash()) != 64 || v.Hash() == v.Files[0].SHA256 {
		t.Errorf("files %v, hash %s", v.Files, v.Hash())
	}
}

func TestSignOfPolisMatrixIsFoundAndChecked(t *testing.T) {
	flipped := strings.NewReplacer("1,1,1,-1\n", "1,1,-1,1\n", "1,0,1,\n", "1,0,-1,\n", ",,-1\n", ",,1\n").Replace(polisMatrix)
	v, err := ReadPolis(folderOf("comments.csv", polisComments, "participants-votes.csv", flipped), 0)
	wantCells(t, v, err, "5 0 +1", "6 0 +1", "6 1 -1", "9 1 -1")
	if v.Agree != -1 {
		t.Errorf("agree %d", v.Agree)
	}
	_, err = ReadPolis(folderOf("comments.csv", polisComments, "participants-votes.csv", flipped), 1)
	if err == nil || !strings.Contains(err.Error(), "agree was given as +1") {
		t.Errorf("error %v", err)
	}
}

func TestPolisHistoryKeepsTheLatestVoteInAnyOrder(t *testing.T) {
	rows := []string{
		"2000000000000,x,0,5,-1", "2000000000005,x,0,5,1", // changed their mind
		"2000000000001,x,0,6,1",
		"2000000000002,x,1,6,-1",
		"2000000000000,x,1,9,-1",
	}
	for range len(rows) {
		rows = append(rows[1:], rows[0])
		comments := strings.Replace(polisComments, ",5,2,0,1,", ",5,2,1,1,", 1) // counts are of rows
		v, err := ReadPolis(folderOf("comments.csv", comments, "votes.csv", "timestamp,datetime,comment-id,voter-id,vote\n"+strings.Join(rows, "\n")), 0)
		wantCells(t, v, err, "5 0 +1", "6 0 +1", "6 1 -1", "9 1 -1")
		var ids []string
		for i := range 3 {
			ids = append(ids, v.Matrix.Participant(i))
		}
		if !slices.Equal(ids, []string{"5", "9", "6"}) {
			t.Errorf("rows %v are not in the order of first votes", ids)
		}
	}
}

// The web server writes seconds and the raw sign, and counts +1 as agreement.
func TestPolisHistoryOfTheWebServerHasTheOtherSign(t *testing.T) {
	history := "timestamp,comment-id,voter-id,vote\n1500000000,0,5,-1\n1500000000,0,6,-1\n1500000001,1,6,1\n1500000001,1,9,1\n"
	comments := "timestamp,comment-id,author-id,agrees,disagrees,moderated,comment-body\n1500000000,0,5,0,2,1,Not quoted, with commas\n1500000000,1,6,2,0,-1,x\n"
	v, err := ReadPolis(folderOf("comments.csv", comments, "votes.csv", history), 0)
	wantCells(t, v, err, "5 0 +1", "6 0 +1", "6 1 -1", "9 1 -1")
	if v.Texts["0"] != "Not quoted, with commas" {
		t.Errorf("texts %q", v.Texts)
	}
}

func TestPolisAPIVotesAreRead(t *testing.T) {
	comments := `[{"tid":0,"pid":5,"mod":1,"agree_count":2,"is_meta":false,"txt":"a"},{"statement_id":1,"participant_id":6,"moderated":-1,"agree_count":0,"is_meta":true,"txt":"b"}]`
	for _, c := range []struct {
		votes string
		agree int
	}{
		{`[{"pid":5,"tid":0,"vote":-1,"modified":"9"},{"pid":6,"tid":0,"vote":-1,"modified":"2"},{"pid":6,"tid":1,"vote":1,"modified":"3"},{"pid":9,"tid":1,"vote":1,"modified":"1"}]`, -1},
		{`[{"participant_id":5,"statement_id":0,"vote":1,"modified":9.0},{"participant_id":6,"statement_id":0,"vote":1,"modified":2},{"participant_id":6,"statement_id":1,"vote":-1,"modified":3},{"participant_id":9,"statement_id":1,"vote":-1,"modified":1}]`, 1},
	} {
		v, err := ReadPolisAPI(folderOf("comments.json", comments, "votes.json", c.votes), "votes.json", 0)
		wantCells(t, v, err, "5 0 +1", "6 0 +1", "6 1 -1", "9 1 -1")
		if v.Agree != c.agree || v.Matrix.Participant(0) != "9" {
			t.Errorf("agree %d, first row %s", v.Agree, v.Matrix.Participant(0))
		}
		if s := v.Matrix.Statement(1); !s.Rejected || !s.Meta || s.Author != "6" {
			t.Errorf("statement %+v", s)
		}
	}
	v, err := ReadPolisAPI(folderOf("v.json", `[{"pid":5,"tid":0,"vote":-1}]`), "v.json", 0)
	wantCells(t, v, err, "5 0 +1")
	if len(v.Notes) != 2 {
		t.Errorf("notes %q", v.Notes)
	}
}

func TestLongVotesAreRead(t *testing.T) {
	v, err := ReadLong(folderOf("v.csv", "vote,participant,extra,statement\nagree,a,,s1\n-1,a,,s2\npass,b,,s1\ndisagree,a,,s1\n",
		"s.csv", "statement,author,moderated,meta,text\ns1,b,-1,true,Words\ns3,a,,,\n"), "v.csv", "s.csv")
	wantCells(t, v, err, "a s1 -1", "a s2 -1", "b s1 +0")
	if s := v.Matrix.Statement(0); s.Author != "b" || !s.Rejected || !s.Meta || v.Texts["s1"] != "Words" {
		t.Errorf("statement %+v, texts %q", s, v.Texts)
	}
	if _, n := v.Matrix.Dims(); n != 3 {
		t.Errorf("%d statements", n)
	}
}

func TestFaultyVotesAreRefusedWithTheirPlace(t *testing.T) {
	matrix := func(s string) fstest.MapFS { return folderOf("participants-votes.csv", s) }
	for says, read := range map[string]func() (*Votes, error){
		`v.csv:3: vote "maybe" is not`: func() (*Votes, error) {
			return ReadLong(folderOf("v.csv", "participant,statement,vote\na,1,1\na,2,maybe\n"), "v.csv", "")
		},
		`v.csv:2: participant is not an id`: func() (*Votes, error) {
			return ReadLong(folderOf("v.csv", "participant,statement,vote\n,1,1\n"), "v.csv", "")
		},
		`lacks the column "vote"`:   func() (*Votes, error) { return ReadLong(folderOf("v.csv", "participant,statement\n"), "v.csv", "") },
		`v.csv: is gzip-compressed`: func() (*Votes, error) { return ReadLong(folderOf("v.csv", "\x1f\x8b\x08\x00"), "v.csv", "") },
		`votes.json: is gzip-compressed`: func() (*Votes, error) {
			return ReadPolisAPI(folderOf("votes.json", "\x1f\x8b\x08\x00"), "votes.json", 0)
		},
		`v.csv: empty`: func() (*Votes, error) { return ReadLong(folderOf("v.csv", ""), "v.csv", "") },
		`and 980 more`: func() (*Votes, error) {
			return ReadLong(folderOf("v.csv", "participant,statement,vote\n"+strings.Repeat("a,1,x\n", 5000)), "v.csv", "")
		},
		`participants-votes.csv:2: 0 "2" is not 1, 0, -1`:   func() (*Votes, error) { return ReadPolis(matrix("participant,0\n1,2\n"), 0) },
		`participants-votes.csv:3: participant "1" is not`:  func() (*Votes, error) { return ReadPolis(matrix("participant,0\n1,1\n1,1\n"), 0) },
		`participants-votes.csv:1: 0 is not the only`:       func() (*Votes, error) { return ReadPolis(matrix("participant,0,0\n1,1,1\n"), 0) },
		`participants-votes.csv:1: mood "mood" is not`:      func() (*Votes, error) { return ReadPolis(matrix("participant,mood,0\n1,x,1\n"), 0) },
		`n-votes "3" is not the number of votes in the row`: func() (*Votes, error) { return ReadPolis(matrix("participant,n-votes,0\n1,3,1\n"), 0) },
		`wrong number of fields`:                            func() (*Votes, error) { return ReadPolis(matrix("participant,0\n1\n"), 0) },
		`neither participants-votes.csv nor votes.csv`:      func() (*Votes, error) { return ReadPolis(folderOf("x", ""), 0) },
		`comments.csv:3: comment-id "0" is not unique`: func() (*Votes, error) {
			return ReadPolis(folderOf("comments.csv", "comment-id,moderated\n0,1\n0,1\n"), 0)
		},
		`votes.csv:2: timestamp "noon" is not`: func() (*Votes, error) {
			return ReadPolis(folderOf("votes.csv", "timestamp,comment-id,voter-id,vote\nnoon,1,1,1\n"), 0)
		},
		`votes.csv:2: vote is not 1, 0 or -1`: func() (*Votes, error) {
			return ReadPolis(folderOf("votes.csv", "timestamp,comment-id,voter-id,vote\n5,1,1,\n"), 0)
		},
		`begins with {, expected a list`: func() (*Votes, error) { return ReadPolisAPI(folderOf("votes.json", "{}"), "votes.json", 0) },
		`vote 2 vote "7" is not`: func() (*Votes, error) {
			return ReadPolisAPI(folderOf("votes.json", `[{"pid":1,"tid":1,"vote":1},{"pid":1,"tid":2,"vote":7}]`), "votes.json", 0)
		},
		`element 1`:      func() (*Votes, error) { return ReadPolisAPI(folderOf("votes.json", `[{"pid":{}}]`), "votes.json", 0) },
		`unexpected EOF`: func() (*Votes, error) { return ReadPolisAPI(folderOf("votes.json", `[{"pid":1`), "votes.json", 0) },
	} {
		if _, err := read(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want an error that says %q, have %v", says, err)
		}
	}
}
