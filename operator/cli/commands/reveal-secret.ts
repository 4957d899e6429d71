import { rmSync } from 'node:fs';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { addressArgument } from '../arguments/address-argument';
import type { ApiCaller } from '../calls/api-caller';
import type { CommandParts } from '../arguments/command-parts';
import type { Report } from '../output/report';
import { openSecretTarget } from '../arguments/secret-target';
import { NETWORK } from './show';

interface Options {
  readonly network: string;
  readonly to?: string;
  readonly print: boolean;
}

interface Place {
  readonly network: string;
  readonly address: string;
}

/**
 * Adds `ipam reveal-secret`.
 *
 * @param parts - program and how to run
 */
export function addRevealSecret({ program, run, drafts }: CommandParts): void {
  program
    .command('reveal-secret')
    .argument('<address>', 'the address', addressArgument)
    .option(...NETWORK)
    .option('--to <file>', 'new file for the secret, which only you may read')
    .option('--print', 'write the secret to standard output', false)
    .description('read the secret of an address again, where the installation keeps secrets recoverable; is logged')
    .action((address: string, { network, to, print }: Options) =>
      run(async (api) => {
        const place = { network, address };
        if (print === (to !== undefined))
          return refuse('settings/invalid', 'give --to with a new file, or --print for standard output');
        return to === undefined ? printSecret(api, place) : keepSecret(api, place, { path: to, drafts });
      }),
    );
}

async function printSecret(api: ApiCaller, place: Place): Promise<Outcome<Report>> {
  const secret = await reveal(api, place);
  if (!secret.ok) return secret;
  return accept({ value: { ...place, secret: secret.value }, table: `${secret.value}\n` });
}

async function keepSecret(
  api: ApiCaller,
  place: Place,
  { path, drafts }: { readonly path: string; readonly drafts: Set<string> },
): Promise<Outcome<Report>> {
  const target = openSecretTarget(path);
  if (!target.ok) return target;
  drafts.add(path);
  const secret = await reveal(api, place);
  if (secret.ok) target.value.write(secret.value);
  target.value.close();
  drafts.delete(path);
  if (secret.ok)
    return accept({ value: { ...place, file: path }, table: [`wrote the secret of ${place.address} to ${path}`] });
  rmSync(path);
  return secret;
}

async function reveal(api: ApiCaller, params: Place): Promise<Outcome<string>> {
  const told = await api.call('revealSecret', { params });
  return told.ok ? accept(told.value.secret) : told;
}
