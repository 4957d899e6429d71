import { Writable } from 'node:stream';
import { runCommand } from '../../operator/cli/program';

const NOTHING = (): Promise<never> => Promise.reject(new RangeError('nothing is read'));

/** A command of `ipam`, one level below another. */
const COMMAND = /^ {2}(?!help\b)([a-z][a-z-]+)/gmu;

/**
 * Reads what `ipam WORDS --help` prints, in lines of 80 characters.
 *
 * @returns undefined where there is no such command
 */
export async function commandHelp(...words: readonly string[]): Promise<string | undefined> {
  let said = '';
  const output = new Writable({
    write: (part: Buffer, _encoding, done) => {
      said += part.toString();
      done();
    },
  });
  const drafts = new Set<string>();
  const exit = await runCommand([...words, '--help'], { env: {}, output, errors: output, drafts, input: NOTHING });
  return exit === 0 && said.includes(['ipam', ...words].join(' ')) ? said : undefined;
}

/** Writes a section with the help of each command, in the order of `ipam --help`. */
export async function commandSections(): Promise<string> {
  const sections: string[] = [];
  for (const command of await commandsBelow())
    for (const words of [[command], ...(await commandsBelow(command)).map((below) => [command, below])]) {
      const text = ['ipam', ...words].join(' ');
      const help = (await commandHelp(...words)) ?? '';
      sections.push(`### \`${text}\`\n\n\`\`\`console\n$ ${text} --help\n${help.trim()}\n\`\`\``);
    }
  return sections.join('\n\n');
}

async function commandsBelow(...words: readonly string[]): Promise<readonly string[]> {
  const [, list = ''] = ((await commandHelp(...words)) ?? '').split('\nCommands:\n');
  const [commands = ''] = list.split('\n\n');
  return [...commands.matchAll(COMMAND)].map(([, name = '']) => name);
}
