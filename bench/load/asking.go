package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"overton/internal/llm"
	"overton/internal/llm/llmtest"
)

func newAsking() *cobra.Command {
	var requests, concurrency, people int
	var asker, dir string
	cmd := &cobra.Command{
		Use:   "asking",
		Short: "Measure asking language models, against an endpoint on this machine",
		Long: `Measure asking language models, against an endpoint of its own on this machine.

First, many requests to an endpoint where every tenth goes wrong, by a process
that is killed twice on the way: each has to be answered once, none lost, and
nothing asked again that was answered. Then a judge of the size of the published
study, by the command line, with its time and memory.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asker != "" {
				return ask(cmd.Context(), asker, dir, requests, concurrency)
			}
			if err := faults(requests, concurrency); err != nil {
				return err
			}
			return judge(people, concurrency)
		},
	}
	f := cmd.Flags()
	f.IntVar(&requests, "requests", 10000, "requests of the first part")
	f.IntVar(&concurrency, "concurrency", 64, "requests at a time")
	f.StringVar(&asker, "ask", "", "be the process that asks: address of the endpoint (used by the first part)")
	f.StringVar(&dir, "dir", "", "folder of the run (used by the first part)")
	f.IntVar(&people, "people", 1208, "participants of the second part, each with 3 questions of 8 responses")
	return cmd
}

// numbered are requests that each ask for their own number.
func numbered(n int) iter.Seq[llm.Request] {
	return func(yield func(llm.Request) bool) {
		for i := range n {
			text := fmt.Sprintf("Say the number %d.", i)
			if !yield(llm.Request{ID: fmt.Sprint(i), Model: "m", Messages: []llm.Message{{Role: llm.User, Content: text}}}) {
				return
			}
		}
	}
}

// ask asks numbered requests of an endpoint, in a run in the folder dir.
func ask(ctx context.Context, url, dir string, requests, concurrency int) error {
	client, err := llm.NewClient(llm.Models{{
		Name: "m", Model: "m", BaseURL: url, Endpoint: llm.Chat, Limits: llm.Limits{Concurrency: concurrency},
		Timeout: 10 * time.Second, IdleTimeout: time.Second, Retries: llm.Retries{Attempts: 10, FirstWait: 10 * time.Millisecond, MaxWait: 200 * time.Millisecond},
	}}, os.LookupEnv)
	if err != nil {
		return err
	}
	run, err := llm.Open(dir, llm.Settings{Command: "bench"})
	if err != nil {
		return err
	}
	defer run.Close()
	report, err := run.Do(ctx, client, numbered(requests), nil)
	if err != nil {
		return err
	}
	return report.Err()
}

// faults asks many requests, killing the asker when a third and two thirds are
// answered.
func faults(requests, concurrency int) error {
	work, err := os.MkdirTemp("", "overton-asking-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	dir := filepath.Join(work, "run")
	var mu sync.Mutex
	done := map[string]bool{} // requests that were on disk when the asker was killed
	again := 0
	endpoint := llmtest.New(llmtest.Flaky(func(r llmtest.Request, _ int) llmtest.Reply {
		number := strings.Trim(r.Text(), "Say thenumbr.")
		mu.Lock()
		defer mu.Unlock()
		if done[number] {
			again++
		}
		return llmtest.Reply{Text: number}
	}))
	defer endpoint.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	started := time.Now()
	for kill := 1; kill <= 3; kill++ {
		cmd := exec.Command(self, "asking", "--ask", endpoint.BaseURL(), "--dir", dir, "--requests", fmt.Sprint(requests), "--concurrency", fmt.Sprint(concurrency))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		if kill == 3 {
			if err := cmd.Wait(); err != nil {
				return fmt.Errorf("asking: %w", err)
			}
			break
		}
		for answered(dir) < requests*kill/3 {
			time.Sleep(5 * time.Millisecond)
		}
		if err := cmd.Process.Kill(); err != nil {
			return err
		}
		_ = cmd.Wait() // killed
		mu.Lock()
		err := eachAnswer(dir, func(a llm.Answer) { done[a.ID] = true })
		mu.Unlock()
		if err != nil {
			return err
		}
		fmt.Printf("killed with %d of %d on disk\n", len(done), requests)
	}
	took := time.Since(started)
	count := map[string]int{}
	wrong := 0
	if err := eachAnswer(dir, func(a llm.Answer) {
		count[a.ID]++
		if a.Text != a.ID {
			wrong++
		}
	}); err != nil {
		return err
	}
	twice := 0
	for _, n := range count {
		if n > 1 {
			twice++
		}
	}
	fmt.Printf("%d requests, %d at a time: %d answered, %d of them twice, %d wrongly, %d asked again though on disk; %d came to the endpoint; %.1f s\n",
		requests, concurrency, len(count), twice, wrong, again, endpoint.Requests(), took.Seconds())
	if len(count) != requests || twice+wrong+again > 0 {
		return errors.New("not every request is answered once")
	}
	return nil
}

// answered counts the answers on disk.
func answered(dir string) (n int) {
	_ = eachAnswer(dir, func(llm.Answer) { n++ }) // the folder may not be there yet
	return n
}

// eachAnswer reads the whole lines of a run's answers.
func eachAnswer(dir string, each func(llm.Answer)) error {
	f, err := os.Open(filepath.Join(dir, "answers.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil // the last line may be torn
		}
		var a llm.Answer
		if err := json.Unmarshal(line, &a); err != nil {
			return err
		}
		each(a)
	}
}

// judge has the command line predict every rating of a study.
func judge(people, concurrency int) error {
	work, err := os.MkdirTemp("", "overton-asking-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "overton")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/overton").CombinedOutput(); err != nil {
		return fmt.Errorf("building the command line: %w\n%s", err, out)
	}
	endpoint := llmtest.New(func(r llmtest.Request, n int) llmtest.Reply { return llmtest.Reply{Text: fmt.Sprint(1 + n%5)} })
	defer endpoint.Close()
	ratings, models := filepath.Join(work, "ratings.csv"), filepath.Join(work, "models.yaml")
	if err := writeRatings(ratings, people); err != nil {
		return err
	}
	yaml := fmt.Sprintf("models:\n- {name: judge, base_url: %s, limits: {concurrency: %d}, prices: {input: 1, output: 4}}\n", endpoint.BaseURL(), concurrency)
	if err := os.WriteFile(models, []byte(yaml), 0o644); err != nil {
		return err
	}
	for again, what := range []string{"asking, and scoring without intervals", "again, with intervals"} {
		args := []string{"llm", "judge", "--ratings", ratings, "--consented", "--models", models, "--out", filepath.Join(work, "run"), "--json", filepath.Join(work, "judge.json")}
		if again == 0 {
			args = append(args, "--bootstrap", "0")
		}
		before := endpoint.Requests()
		started := time.Now()
		cmd := exec.Command(program, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("judging: %w\n%s", err, out)
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		fmt.Printf("%d ratings, %s: %d requests, %.1f s, %.1f s of processor time, %d MB at most\n", people*24, what, endpoint.Requests()-before,
			time.Since(started).Seconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), usage.Maxrss/1024)
	}
	return nil
}

// writeRatings makes ratings of the published study's size and lengths: 60
// questions, 8 models, responses of some 90 words.
func writeRatings(path string, people int) error {
	rng := rand.New(rand.NewPCG(1, 1))
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("word%03d", rng.IntN(1000))
		}
		return strings.Join(list, " ") + "."
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	_ = w.Write([]string{"user", "question_id", "question", "model", "llm_response", "freeresponse", "representation_rating", "Age", "Sex", "cluster_kmeans"})
	questions, responses := make([]string, 60), make([][8]string, 60)
	for q := range questions {
		questions[q] = words(15)
		for m := range responses[q] {
			responses[q][m] = words(88)
		}
	}
	for person := range people {
		for k := range 3 {
			q := (person*3 + k*7) % 60
			view, group := words(32), fmt.Sprint(rng.IntN(4))
			for m, text := range responses[q] {
				_ = w.Write([]string{fmt.Sprint("p", person), fmt.Sprint(q), questions[q], fmt.Sprint("model-", m), text, view, fmt.Sprint(1 + rng.IntN(5)), "41", "Female", group})
			}
		}
	}
	w.Flush() // the first error of any of the above
	return errors.Join(w.Error(), f.Close())
}
