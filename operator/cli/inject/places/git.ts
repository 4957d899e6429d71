import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import type { Injected } from '../inject-package';
import { idOfPlace } from '../kptfile';
import type { PackageText } from '../package-nodes';
import { FolderTexts } from './folder-texts';
import type { PackagePlace, Stored } from './place';

/** A package in a Git repository. */
export interface GitOptions {
  /** Path of a repository of this machine, or a URL. */
  readonly repository: string;
  /** Branch, tag or commit that is read. */
  readonly revision: string;
  /** Branch that is made for the result. */
  readonly branch: string;
  /** Sends the branch to the repository of the URL, or to `origin`. */
  readonly isPushed: boolean;
  /** Folder of the package in the repository. */
  readonly folder: string;
}

const MOST_BYTES = 64 * 1024 * 1024;
/** Name of commits where the user has none. */
const AUTHOR = { name: 'ipam', email: 'ipam@localhost' };

/**
 * Opens a package at a revision of a Git repository, in a working tree of its own: the one of the user stays as it is.
 *
 * @param options - repository, revision and the new branch
 * @param drafts - where files under way are listed
 * @returns the place; or `settings/invalid` where the branch exists or the revision does not
 */
export async function openGitPlace(options: GitOptions, drafts: Set<string>): Promise<Outcome<PackagePlace>> {
  const problem = problemOf(options);
  if (problem !== undefined) return refuse('settings/invalid', problem);
  const temporary = await mkdtemp(join(tmpdir(), 'ipam-inject-'));
  drafts.add(temporary);
  const place = new GitPlace(options, { temporary, drafts });
  const opened = await place.open();
  if (opened.ok) return accept(place);
  await place.close();
  return opened;
}

function problemOf({ repository, revision, branch, isPushed, folder }: GitOptions): string | undefined {
  if ([repository, revision, branch].some((each) => each === '' || each.startsWith('-'))) {
    return '--git, --revision and --branch must be given, and do not begin with a dash';
  }
  if (revision === branch) return `--branch: "${branch}" is the revision that is read; name a new branch`;
  if (!isInside(folder)) return `the folder "${folder}" is not in the repository`;
  if (!existsSync(repository) && !isPushed) {
    return '--push is missing: a branch of a repository elsewhere would be lost without it';
  }
  return undefined;
}

function isInside(folder: string): boolean {
  const top = resolve(sep, 'top');
  return `${resolve(top, folder)}${sep}`.startsWith(`${top}${sep}`);
}

// A revision may hold links to anywhere on this machine.
async function leaves(folder: string, tree: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const [to, top] = await Promise.all([realpath(folder), realpath(tree)]);
  return !`${to}${sep}`.startsWith(`${top}${sep}`);
}

class GitPlace implements PackagePlace {
  readonly #options: GitOptions;
  readonly #temporary: string;
  readonly #drafts: Set<string>;
  readonly #texts: FolderTexts;
  readonly #isLocal: boolean;
  #hasTree = false;
  #origin = '';

  constructor(
    options: GitOptions,
    { temporary, drafts }: { readonly temporary: string; readonly drafts: Set<string> },
  ) {
    this.#options = options;
    this.#temporary = temporary;
    this.#drafts = drafts;
    this.#isLocal = existsSync(options.repository);
    this.#texts = new FolderTexts(this.#folder, drafts);
  }

  get #tree(): string {
    return join(this.#temporary, 'tree');
  }

  get #folder(): string {
    return join(this.#tree, this.#options.folder);
  }

  // that of the user, or a clone
  get #repository(): string {
    return this.#isLocal ? this.#options.repository : join(this.#temporary, 'clone');
  }

  async open(): Promise<Outcome<void>> {
    const { repository, revision, branch } = this.#options;
    const named = await this.#git('check-ref-format', '--branch', branch);
    if (!named.ok) return named;
    if (!this.#isLocal) {
      const cloned = await git(this.#temporary, ['clone', '--quiet', '--bare', '--', repository, 'clone']);
      if (!cloned.ok) return cloned;
    }
    const taken = await this.#git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    if (taken.ok) return refuse('settings/invalid', `--branch: "${branch}" exists already; name a new branch`);
    const commit = await this.#git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
    if (!commit.ok)
      return refuse('settings/invalid', `--revision: the repository has no branch, tag or commit "${revision}"`);
    const origin = await this.#git('config', '--get', 'remote.origin.url');
    this.#origin = origin.ok ? origin.value : resolve(repository);
    const added = await this.#git('worktree', 'add', '--quiet', '--detach', this.#tree, commit.value);
    if (!added.ok) return added;
    this.#hasTree = true;
    return accept(undefined);
  }

  readonly freshId = (): string => idOfPlace(`${this.#origin}\n${this.#options.folder}`);

  async read(): Promise<Outcome<readonly PackageText[]>> {
    const { folder } = this.#options;
    const isOutside = await leaves(this.#folder, this.#tree);
    if (isOutside) return refuse('settings/invalid', `the folder "${folder}" is a link out of the repository`);
    return this.#texts.read();
  }

  async write(changed: readonly PackageText[], results: readonly Injected[]): Promise<Outcome<Stored>> {
    if (changed.length === 0) return accept({ note: 'nothing changed, so no branch was made' });
    const { branch, isPushed } = this.#options;
    const written = await this.#texts.write(changed);
    if (!written.ok) return written;
    const committed = await this.#commit(messageOf(results));
    if (!committed.ok) return committed;
    const steps = [
      ['branch', branch, committed.value],
      // an expected value of nothing: a branch that came meanwhile is not overwritten
      ...(isPushed
        ? [
            [
              'push',
              '--quiet',
              `--force-with-lease=refs/heads/${branch}:`,
              'origin',
              `${committed.value}:refs/heads/${branch}`,
            ],
          ]
        : []),
    ];
    for (const step of steps) {
      const done = await this.#git(...step);
      if (!done.ok) return done;
    }
    return accept({ note: `branch ${branch} was made${isPushed ? ' and pushed' : ''}` });
  }

  async close(): Promise<void> {
    if (this.#hasTree) await this.#git('worktree', 'remove', '--force', this.#tree);
    await rm(this.#temporary, { recursive: true, force: true });
    this.#drafts.delete(this.#temporary);
  }

  async #commit(message: string): Promise<Outcome<string>> {
    const known = await git(this.#tree, ['config', '--get', 'user.email']);
    const author = known.ok ? [] : ['-c', `user.name=${AUTHOR.name}`, '-c', `user.email=${AUTHOR.email}`];
    const committed = await git(this.#tree, ['commit', '--quiet', '--all', '--message', message], author);
    return committed.ok ? git(this.#tree, ['rev-parse', 'HEAD']) : committed;
  }

  #git(...words: readonly string[]): Promise<Outcome<string>> {
    return git(this.#repository, words);
  }
}

function messageOf(results: readonly Injected[]): string {
  const count = (of: Injected['outcome']): number => results.filter(({ outcome }) => outcome === of).length;
  const lines = results.map(({ namespace, name, outcome, granted, refusal }) => {
    const what = granted?.prefix ?? refusal?.message ?? outcome;
    return `- ${namespace}/${name}: ${what}`;
  });
  const failed = count('failed') === 0 ? '' : `, ${String(count('failed'))} failed`;
  return [`Inject IP allocations: ${String(count('given'))} given${failed}`, '', ...lines].join('\n');
}

async function git(
  folder: string,
  words: readonly string[],
  settings: readonly string[] = [],
): Promise<Outcome<string>> {
  const options = { cwd: existsSync(folder) ? folder : tmpdir(), maxBuffer: MOST_BYTES };
  try {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
    const { stdout } = await promisify(execFile)('git', [...settings, ...words], { ...options, env });
    return accept(stdout.trim());
  } catch (thrown) {
    return refuse('settings/invalid', `git ${words[0] ?? ''}: ${withoutLogin(causeOf(thrown as GitFailure))}`);
  }
}

interface GitFailure {
  readonly code?: unknown;
  readonly stderr?: string;
  readonly stdout?: string;
}

function causeOf({ code, stderr = '', stdout = '' }: GitFailure): string {
  if (code === 'ENOENT') return 'there is no program "git"';
  const [problem = ''] = stderr.trim().split('\n');
  // where it is no error of git, such as nothing to commit, the reason ends what it prints
  return problem || stdout.trim().split('\n').at(-1) || 'it failed';
}

// git shortens nothing: the URL of a message may carry a login
function withoutLogin(text: string): string {
  return text.replaceAll(/:\/\/[^\s/@]*@/gu, '://');
}
