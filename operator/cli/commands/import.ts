import { Option } from 'commander';
import { FOREIGN_NAMES, type ForeignLoadBalancer } from '../../contract/foreign-load-balancers';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import type { CommandParts } from '../arguments/command-parts';
import { EXIT } from '../output/exit-codes';
import { readInput } from '../arguments/input-file';
import { batchesOf } from '../original/batches';
import type { Converted } from '../original/convert';
import { looksWritten, openOldSecrets, type Decrypt } from '../original/old-secrets';
import { readDump, type Dump } from '../original/read-dump';
import { checkSecret } from '../../rules/secrets';
import type { Report } from '../output/report';
import { importObjects } from './import-objects';

interface Options {
  readonly from?: ForeignLoadBalancer;
  readonly keyFile?: string;
  readonly dryRun: boolean;
}

/** A dump, and whether the key file is the one that belongs to it. */
interface OpenedDump extends Dump {
  /** The dump has secrets, and the key decrypts none of them. */
  readonly noneFits: boolean;
}

const WRONG_KEY =
  'no secret of the dump fits the key of --key-file, so this is the key file of another installation; give the one that the original ran with';

/** Result for one record. */
interface Row {
  readonly line: number;
  readonly zone: string;
  readonly address: string;
  readonly verdict: 'imported' | 'same' | 'refused' | 'left-out';
  readonly problem?: string;
  readonly notes?: readonly string[];
}

/**
 * Adds `ipam import`.
 *
 * @param parts - program and how to run
 */
export function addImport({ program, run, runHere, input }: CommandParts): void {
  program
    .command('import')
    .argument(
      '<files...>',
      'dump of the original collection "addresses" by mongoexport, or objects of another load balancer; - reads standard input',
    )
    .addOption(new Option('--from <name>', 'load balancer of which pools and Services are read').choices(FOREIGN_NAMES))
    .option('--key-file <file>', 'the key file of the original, for a dump of it: JSON with enc_key and enc_iv')
    .option('--dry-run', 'only tell what would become of each record of the dump', false)
    .description(
      'put the addresses of the original on record; running it twice changes nothing more. With --from: write IPGroups and IPs made of the pools and Services of another load balancer, for kubectl apply; changes nothing by itself',
    )
    .action((files: readonly string[], options: Options) => {
      const { from, keyFile = '', dryRun } = options;
      const wrong = misuseOf(files, options);
      if (wrong !== undefined) return runHere(() => Promise.resolve(refuse('settings/invalid', wrong)));
      if (from !== undefined) return runHere(() => importObjects(files, { from, input }));
      return run(async (api) => {
        const dump = await openDump(files[0] ?? '', { keyFile, input });
        if (!dump.ok) return dump;
        const sent = await send(api, dump.value.claims, dryRun);
        return sent.ok ? accept(reportOf(dump.value, sent.value, dryRun)) : sent;
      });
    });
}

function misuseOf(files: readonly string[], { from, keyFile, dryRun }: Options): string | undefined {
  if (from !== undefined)
    return keyFile === undefined && !dryRun
      ? undefined
      : '--from reads no dump, so neither --key-file nor --dry-run goes with it';
  if (keyFile === undefined)
    return 'a dump of the original needs --key-file <file>; objects of another load balancer need --from <name>';
  return files.length > 1 ? 'give one dump; several files go with --from' : undefined;
}

async function openDump(
  path: string,
  { keyFile, input }: { readonly keyFile: string; readonly input: CommandParts['input'] },
): Promise<Outcome<OpenedDump>> {
  if (path === '-' && keyFile === '-')
    return refuse('settings/invalid', 'the dump and --key-file cannot both come from standard input');
  const key = await readInput(keyFile, { name: '--key-file', input });
  if (!key.ok) return key;
  const decrypt = openOldSecrets(key.value.toString('utf8'));
  if (!decrypt.ok) return decrypt;
  const bytes = await readInput(path, { name: 'the dump', input });
  if (!bytes.ok) return bytes;
  return accept(readWith(decrypt.value, bytes.value.toString('utf8')));
}

// Most secrets tell whether the key is theirs; of a key that is, every text counts as a secret, whatever it looks like.
function readWith(decrypt: Decrypt, text: string): OpenedDump {
  let [unread, fitting] = [0, 0];
  const careful: Decrypt = (stored) => {
    const plain = decrypt(stored);
    const isText = plain !== undefined && looksWritten(plain);
    if (!isText) unread++;
    // a few bytes are text by chance under every key, and say nothing of this one
    else if (checkSecret(plain, 'secret').ok) fitting++;
    return isText ? plain : undefined;
  };
  const nowMs = Date.now();
  const dump = readDump(text, { decrypt: careful, nowMs });
  const isRightKey = fitting > unread;
  return { ...(isRightKey ? readDump(text, { decrypt, nowMs }) : dump), noneFits: unread > 0 && fitting === 0 };
}

async function send(api: ApiCaller, all: readonly Converted[], dryRun: boolean): Promise<Outcome<readonly Row[]>> {
  const rows: Row[] = [];
  for (const batch of batchesOf(all)) {
    const at = rows.length;
    const answer = await api.call('importClaims', { body: { dryRun, claims: batch.map(({ claim }) => claim) } });
    if (!answer.ok) {
      const { refusal } = answer;
      const message = `${refusal.message}; ${at} of ${all.length} addresses were sent before, and the import may be run again`;
      return { ok: false, refusal: { ...refusal, message } };
    }
    for (const [i, { line, claim, notes }] of batch.entries()) {
      const result = answer.value.entries[i];
      rows.push({
        line,
        zone: claim.zone,
        address: claim.address,
        verdict: result?.verdict ?? 'refused',
        ...(result?.problem === undefined ? {} : { problem: result.problem }),
        ...(notes.length === 0 ? {} : { notes }),
      });
    }
  }
  return accept(rows);
}

function reportOf({ records, left, noneFits }: OpenedDump, sent: readonly Row[], dryRun: boolean): Report {
  const rows: readonly Row[] = [...sent, ...left.map(({ id: _id, ...row }) => row)].sort((a, b) => a.line - b.line);
  const count = (verdict: Row['verdict']): number => rows.filter((row) => row.verdict === verdict).length;
  const counts = {
    records,
    imported: count('imported'),
    same: count('same'),
    refused: count('refused'),
    leftOut: count('left-out'),
  };
  const odd = rows.filter(({ problem, notes }) => problem !== undefined || notes !== undefined);
  return {
    value: { dryRun, counts, entries: rows },
    table: {
      columns: ['line', 'zone', 'address', 'verdict', 'remark'],
      rows: odd.map(({ line, zone, address, verdict, problem, notes = [] }) => [
        ...[String(line), zone, address, verdict, [...(problem === undefined ? [] : [problem]), ...notes].join('; ')],
      ]),
    },
    notes: [
      `${dryRun ? 'would import' : 'imported'} ${counts.imported} of ${records} records; on record already ${counts.same}, refused ${counts.refused}, left out ${counts.leftOut}`,
      ...(noneFits ? [WRONG_KEY] : []),
    ],
    ...(counts.refused === 0 ? {} : { exit: EXIT.partly }),
  };
}
