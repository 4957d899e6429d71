// Command kpt has the group `live` of kpt alone: the whole of it requires a module of its repository that the module proxy does not serve.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/live"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(live.GetCommand(ctx, "kpt", ""))
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
