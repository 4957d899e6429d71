import { parseHostPrefix } from '../../addressing/prefix';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import type { CommandParts } from '../arguments/command-parts';
import { explainAddress, explainName, explainService, type Explained } from '../explain/explain-name';
import { withDoors } from '../explain/with-doors';
import { explanationsOfAddress, explanationsOfName } from '../doors/ask-doors';
import { readServiceName } from '../arguments/service-name';
import { NETWORK } from './show';

interface Options {
  readonly network: string;
  readonly cluster?: string;
}

/**
 * Adds `ipam explain`.
 *
 * @param parts - program and how to run
 */
export function addExplain({ program, run }: CommandParts): void {
  program
    .command('explain')
    .argument(
      '<what>',
      'an address, a Service or an object of a network as namespace/name, a Namespace or an EgressIPAM as namespace/NAME or egressipam/NAME, the key of a claim, or the name of a standing claim',
    )
    .option(...NETWORK)
    .option('--cluster <uid>', 'cluster of the Service or the key; otherwise all are looked at')
    .description(
      'explain an address of a zone, an IPGroup, a NetworkInstance or an EgressIPAM (its holders, since when, what ends that, or why it cannot be taken) or why a Service, an IPPrefix, an IPAllocation or a Namespace waits',
    )
    .action((what: string, options: Options) =>
      run(async (api) => {
        const known = await explained(api, what, options);
        if (!known.ok) return known;
        return accept({ value: { what, ...known.value }, table: known.value.sentences });
      }),
    );
}

async function explained(api: ApiCaller, what: string, { network, cluster }: Options): Promise<Outcome<Explained>> {
  if (what === '') return refuse('settings/invalid', 'give an address, namespace/name, a key or a name');
  const address = parseHostPrefix(what);
  if (address.ok) {
    const text = address.value.toString();
    return withDoors(await explanationsOfAddress(api, text), () => explainAddress(api, { network, address: text }));
  }
  const service = readServiceName(what);
  const on = { api, clusterUid: cluster };
  if (service === undefined || what.startsWith('@')) return explainName(on, what);
  // the other doors know the own cluster alone
  if (cluster !== undefined) return explainService(on, service);
  return withDoors(await explanationsOfName(api, service), () => explainService(on, service));
}
