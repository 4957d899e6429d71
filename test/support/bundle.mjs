// Bundles the operator for the image and for the packed tree: one file for the process, one for the store's worker thread.
import { build } from 'esbuild';

await build({
  entryPoints: { operator: 'operator/main.ts', 'sqlite-worker': 'operator/backends/sql/sqlite-worker.ts' },
  outdir: process.argv[2] ?? 'lib/bundle',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  sourcemap: true,
  // the source text stays out of the map: stack traces need names and lines only
  sourcesContent: false,
  logLevel: 'warning',
  legalComments: 'linked',
});
