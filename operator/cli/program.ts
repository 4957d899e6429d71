import type { WriteStream } from 'node:tty';
import { Command, CommanderError, Option } from 'commander';
import { isIpamError, refusalOf } from '../errors/ipam-error';
import type { Outcome, Refusal } from '../errors/outcome';
import { positive, type CommandParts } from './arguments/command-parts';
import { addBackup } from './commands/backup';
import { addCluster } from './commands/cluster';
import { addClusters } from './commands/clusters';
import { addDeleteCluster } from './commands/delete-cluster';
import { addDifferences } from './commands/differences';
import { addDoctor } from './commands/doctor';
import { addError } from './commands/error';
import { addEvict } from './commands/evict';
import { addExplain } from './commands/explain';
import { addHistory } from './commands/history';
import { addImport } from './commands/import';
import { addImportGroups } from './commands/import-groups';
import { addInject } from './commands/inject';
import { addMigrateStore } from './commands/migrate-store';
import { addPlan } from './commands/plan';
import { addRelease } from './commands/release';
import { addRenameCluster } from './commands/rename-cluster';
import { addRestore } from './commands/restore';
import { addRevealSecret } from './commands/reveal-secret';
import { addRotateSecret } from './commands/rotate-secret';
import { addServices } from './commands/services';
import { addShow } from './commands/show';
import { addTree } from './commands/tree';
import { addUninstallNetworks } from './commands/uninstall-networks';
import { addVersion } from './commands/version';
import { addZones } from './commands/zones';
import { versionText } from '../runtime/version-text';
import { connect, type ConnectionOptions } from './calls/connection';
import { EXIT, EXIT_HELP, exitOf, type ExitCode } from './output/exit-codes';
import type { ReadInput } from './arguments/input-file';
import { OUTPUTS, written, yamlText, type Output, type Report } from './output/report';

/** Environment and streams of the command line. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly input: ReadInput;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
  /** Files and folders under way, which are removed when a signal ends the program. */
  readonly drafts: Set<string>;
}

/** Width of a help text that goes to no terminal. */
const USUAL_COLUMNS = 80;

type GlobalOptions = ConnectionOptions & { readonly output: Output };

const COMMANDS: readonly ((parts: CommandParts) => void)[] = [
  ...[addZones, addTree, addShow, addServices, addClusters, addHistory, addExplain, addPlan],
  ...[
    addRelease,
    addEvict,
    addRotateSecret,
    addRevealSecret,
    addDeleteCluster,
    addCluster,
    addRenameCluster,
    addImport,
    addImportGroups,
    addInject,
    addUninstallNetworks,
  ],
  ...[addBackup, addRestore, addMigrateStore, addDoctor, addDifferences, addError, addVersion],
];

/**
 * Runs one command.
 *
 * @param argv - arguments after the program's name
 * @param terminal - environment and streams
 * @returns the exit code
 */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  const program = newProgram(terminal);
  const finish = async (outcome: Promise<Outcome<Report>>): Promise<void> => {
    exit = print(await settled(outcome), program.opts<GlobalOptions>().output, terminal);
  };
  const { env, input, output, drafts } = terminal;
  const connected = (): ReturnType<typeof connect> => connect(program.opts<GlobalOptions>(), env);
  const parts: CommandParts = {
    program,
    run: (work) => {
      const api = connected();
      return finish(api.ok ? work(api.value) : Promise.resolve(api));
    },
    runHere: (work) => finish(work()),
    connect: connected,
    env,
    input,
    output,
    drafts,
  };
  for (const add of COMMANDS) add(parts);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exit;
}

function newProgram({ output, errors }: Terminal): Command {
  const { columns = USUAL_COLUMNS } = output as Partial<WriteStream>;
  return new Command('ipam')
    .description('Asks and changes the record of an IPAM operator, as its administrator')
    .addOption(new Option('--output <form>', 'form of the output').choices(OUTPUTS).default('table'))
    .option('--server <url>', 'IPAM-API to talk to, without the version; else the admin socket of the operator')
    .option('--token-file <file>', 'file with the token of an administrator, for --server')
    .option('--ca-file <file>', 'CA certificates that --server is trusted by')
    .option('--socket <path>', 'admin socket, where it is not at its usual place (IPAM_ADMIN_SOCKET)')
    .option('--timeout <seconds>', 'longest silence of the server', positive, 30)
    .version(`ipam ${versionText()}`, '--version', 'show the version of this program')
    .addHelpText('after', EXIT_HELP)
    .showHelpAfterError('(add --help for the options)')
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
    });
}

async function settled(outcome: Promise<Outcome<Report>>): Promise<Outcome<Report>> {
  try {
    return await outcome;
  } catch (thrown) {
    if (!isIpamError(thrown)) throw thrown;
    return { ok: false, refusal: refusalOf(thrown) };
  }
}

function print(outcome: Outcome<Report>, form: Output, { output, errors }: Terminal): ExitCode {
  if (!outcome.ok) {
    errors.write(refusalText(outcome.refusal, form));
    return exitOf(outcome.refusal);
  }
  if (outcome.value.silent !== true) output.write(written(outcome.value, form));
  for (const note of outcome.value.notes ?? []) errors.write(`ipam: ${note}\n`);
  return outcome.value.exit ?? EXIT.ok;
}

function refusalText(refusal: Refusal, form: Output): string {
  const { code, message, field, suggestion } = refusal;
  const error = { code, message, field, suggestion };
  if (form === 'json') return `${JSON.stringify({ error })}\n`;
  if (form === 'yaml') return yamlText({ error });
  return `ipam: ${message} (${code})\n`;
}
