import { InvalidArgumentError, Option } from 'commander';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { CommandParts } from '../arguments/command-parts';
import { documentsOf } from '../arguments/manifest-file';
import type { ConnectionOptions } from '../calls/connection';
import { withClusterOptions } from '../calls/cluster';
import {
  BACK_END_NAMES,
  openBackEnd,
  type BackEndName,
  type BackEndOptions,
  type BackEndParts,
} from '../inject/back-ends/open-back-end';
import { injectPackage, plannedInjection, type Injected, type InjectedPackage } from '../inject/inject-package';
import { PACKAGE_ID } from '../inject/kptfile';
import { folderPlace } from '../inject/places/folder';
import { openGitPlace } from '../inject/places/git';
import type { PackagePlace, Stored } from '../inject/places/place';
import { resourceListPlace } from '../inject/places/resource-list';
import { EXIT } from '../output/exit-codes';
import type { Report } from '../output/report';

interface InjectOptions extends BackEndOptions {
  readonly backEnd: BackEndName;
  readonly git?: string;
  readonly revision?: string;
  readonly branch?: string;
  readonly push: boolean;
  readonly packageId?: string;
  readonly dryRun: boolean;
}

/** A run, as it was asked for. */
interface Run {
  readonly where: string;
  readonly options: InjectOptions;
  readonly parts: CommandParts;
}

/**
 * Adds `ipam inject`.
 *
 * @param parts - program and how to run
 */
export function addInject(parts: CommandParts): void {
  const { program, runHere } = parts;
  const command = program
    .command('inject')
    .argument('[package]', 'folder of the package; with --git one in the repository; - reads a ResourceList', '.')
    .description('fill the status of the IPAllocations of a kpt package, and release what left it')
    .addOption(
      new Option('--back-end <name>', 'what gives the prefixes').choices(BACK_END_NAMES).default('kubernetes'),
    );
  withClusterOptions(command)
    .option(
      '--grpc-server <address>',
      'host and port of the server, for grpc; --token-file and --ca-file are its login',
    )
    .option('--plaintext', 'speak gRPC without TLS and without a login', false)
    .option('--secret-file <file>', 'secret that owns the addresses, for ipam-api')
    .option('--git <repository>', 'path or URL of a Git repository with the package')
    .option('--revision <name>', 'branch, tag or commit that is read, with --git')
    .option('--branch <name>', 'new branch for the result, with --git')
    .option('--push', 'send the new branch to the repository of the URL, or to origin', false)
    .option('--package-id <id>', 'id of the package, where its Kptfile lost it', packageIdArgument)
    .option('--dry-run', 'only tell what would be asked for and released', false)
    .action((where: string, options: InjectOptions) => runHere(() => inject({ where, options, parts })));
}

function packageIdArgument(text: string): string {
  if (!PACKAGE_ID.test(text))
    throw new InvalidArgumentError('Give lower-case letters and digits, as a Kptfile has them.');
  return text;
}

async function inject(run: Run): Promise<Outcome<Report>> {
  const place = await placeOf(run);
  if (!place.ok) return place;
  try {
    const texts = await place.value.read();
    if (!texts.ok) return texts;
    const { packageId, dryRun } = run.options;
    if (!dryRun) return await filled(run, place.value, texts.value);
    const planned = plannedInjection(texts.value, { packageId });
    return planned.ok ? accept(planReport(planned.value)) : planned;
  } finally {
    await place.value.close();
  }
}

async function placeOf({ where, options, parts }: Run): Promise<Outcome<PackagePlace>> {
  const { git, revision = '', branch = '', push } = options;
  if (git !== undefined) {
    return openGitPlace({ repository: git, revision, branch, isPushed: push, folder: where }, parts.drafts);
  }
  if (revision + branch !== '' || push) {
    return refuse('settings/invalid', '--revision, --branch and --push belong to --git, which is not given');
  }
  return accept(where === '-' ? resourceListPlace(parts.input) : folderPlace(where, parts.drafts));
}

async function filled(
  { options, parts }: Run,
  place: PackagePlace,
  texts: Parameters<typeof injectPackage>[0],
): Promise<Outcome<Report>> {
  const backEnd = await openBackEnd(options.backEnd, options, backEndParts(parts));
  if (!backEnd.ok) return backEnd;
  try {
    const done = await injectPackage(texts, {
      backEnd: backEnd.value,
      packageId: options.packageId,
      freshId: place.freshId,
      storeFirst: place.storeFirst,
    });
    if (!done.ok) return done;
    const stored = await place.write(done.value.changed, done.value.results);
    return stored.ok ? accept(reportOf(done.value, stored.value)) : stored;
  } finally {
    await backEnd.value.close();
  }
}

function backEndParts({ program, connect, env, input }: CommandParts): BackEndParts {
  const login = program.opts<ConnectionOptions>();
  return { connect, env, input, login, waitMs: login.timeout * 1000 };
}

function reportOf({ package: name, results, notes }: InjectedPackage, { note, output }: Stored): Report {
  const isFailed = results.some(({ outcome }) => outcome === 'failed');
  const exit = isFailed ? { exit: EXIT.partly } : {};
  const sentences = [...notes, ...(note === undefined ? [] : [note])];
  if (output !== undefined) return { value: listIn(output), table: output, notes: sentences, ...exit };
  return {
    value: { package: name, allocations: results.map(valueOf) },
    table: {
      columns: ['allocation', 'outcome', 'prefix', 'gateway', 'message'],
      rows: results.map(({ namespace, name: of, outcome, granted, refusal }) => [
        ...[`${namespace}/${of}`, outcome, granted?.prefix ?? '', granted?.gateway ?? '', refusal?.message ?? ''],
      ]),
    },
    notes: sentences,
    ...exit,
  };
}

function listIn(output: string): unknown {
  const documents = documentsOf(output, 'the result');
  return documents.ok ? documents.value[0] : undefined;
}

function valueOf({ node, ...result }: Injected): object {
  return node === undefined ? result : { ...result, file: node.file };
}

function planReport({ package: name, taken, released }: PlannedValue): Report {
  const rows = [
    ...taken.map((of) => [`${of.namespace}/${of.name}`, 'would be asked for']),
    ...released.map((of) => [`${of.namespace}/${of.name}`, 'would be released']),
  ];
  return {
    value: { package: name, taken, released },
    table: { columns: ['allocation', 'outcome'], rows },
    notes: ['nothing was asked for and nothing was written, because of --dry-run'],
  };
}

type PlannedValue = Extract<ReturnType<typeof plannedInjection>, { readonly ok: true }>['value'];
