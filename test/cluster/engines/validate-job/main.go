// Checks manifests of Jobs as the API server of Kubernetes does when one is created: decodes strictly, fills in the
// defaults, and validates. Prints what is wrong, and exits with 1 then.
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/batch/job"
)

func main() {
	isValid := true
	for _, path := range os.Args[1:] {
		for _, problem := range problemsOf(path) {
			fmt.Printf("%s: %s\n", path, problem)
			isValid = false
		}
	}
	if !isValid {
		os.Exit(1)
	}
}

func problemsOf(path string) (problems []string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return []string{err.Error()}
	}
	codecs := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)
	object, _, err := codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return []string{err.Error()}
	}
	created, isJob := object.(*batch.Job)
	if !isJob {
		return []string{"not a Job"}
	}
	// What the API server fills in before it validates.
	created.Namespace = "default"
	created.UID = types.UID("00000000-0000-0000-0000-000000000000")
	job.Strategy.PrepareForCreate(context.Background(), created)
	for _, err := range job.Strategy.Validate(context.Background(), created) {
		problems = append(problems, err.Error())
	}
	return problems
}
