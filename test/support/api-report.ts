import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { Extractor, ExtractorConfig, type IConfigFile } from '@microsoft/api-extractor';
import ts from 'typescript';

const root = resolve(__dirname, '../..');

/** Writes the declarations that a build would write for the given entries. */
function emitDeclarations(entries: readonly string[], folder: string): void {
  const read = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...(read.config as object), files: entries }, ts.sys, root);
  const changed = { declaration: true, declarationMap: false, emitDeclarationOnly: true, outDir: folder };
  const program = ts.createProgram(
    entries.map((entry) => join(root, entry)),
    { ...options, ...changed },
  );
  program.emit(undefined, (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  });
}

// What the report says has to be nothing but the surface: the linter judges comments, and no export of an entry is internal.
const MESSAGES: NonNullable<IConfigFile['messages']> = {
  compilerMessageReporting: { default: { logLevel: 'none' as never } },
  extractorMessageReporting: {
    default: { logLevel: 'none' as never },
    // a type that users meet and cannot name
    'ae-forgotten-export': { logLevel: 'none' as never, addToApiReportFile: true },
  },
  tsdocMessageReporting: { default: { logLevel: 'none' as never } },
};

function reportOf(entry: string, folder: string): string {
  const declarations = join(folder, entry.replace(/\.ts$/u, '.d.ts'));
  const report = join(folder, 'reports', relative(folder, dirname(declarations)));
  mkdirSync(report, { recursive: true });
  const extractorConfig = ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: declarations,
      compiler: { tsconfigFilePath: join(folder, 'tsconfig.json') },
      apiReport: { enabled: true, reportFolder: report, reportTempFolder: report, reportFileName: 'surface' },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      newlineKind: 'lf',
      messages: MESSAGES,
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  });
  Extractor.invoke(extractorConfig, { localBuild: true, messageCallback: (message) => void (message.handled = true) });
  return readFileSync(join(report, 'surface.api.md'), 'utf8');
}

/**
 * Writes the whole surface of public entries, so that a change of it is seen by whoever reviews it.
 *
 * @param entries - paths from the root
 * @returns a report for each
 */
export function apiReports<E extends string>(entries: readonly E[]): ReadonlyMap<E, string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'api-')));
  try {
    emitDeclarations(entries, folder);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const { name, version, dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<string, unknown>;
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name, version, dependencies, peerDependencies, main: 'x.js' }),
    );
    const compilerOptions = { target: 'es2022', lib: ['es2023'], module: 'node20', strict: true, types: ['node'] };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { ...compilerOptions, skipLibCheck: true },
        files: entries.map((entry) => entry.replace(/\.ts$/u, '.d.ts')),
      }),
    );
    return new Map(entries.map((entry) => [entry, reportOf(entry, folder)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
