import { IP_ALLOCATION } from '../../../contract/kinds/ip-allocation';
import { NEPHIO_GROUP } from '../../../contract/nephio';
import { accept, refuse } from '../../../errors/outcome';
import type { ReadInput } from '../../arguments/input-file';
import type { Injected } from '../inject-package';
import { editedYaml } from '../yaml-edit';
import type { PackagePlace } from './place';

const PATH = 'standard input';

/**
 * Opens a package that comes as a ResourceList on standard input, and leaves as one with a result for each allocation, as KRM functions do.
 *
 * @param input - reads standard input
 * @returns what writes nothing, and gives the text to print
 */
export function resourceListPlace(input: ReadInput): PackagePlace {
  let whole = '';
  return {
    read: async () => {
      whole = (await input()).toString('utf8');
      if (whole.trim() !== '') return accept([{ path: PATH, text: whole }]);
      return refuse('settings/invalid', 'standard input is empty; a ResourceList is read from it');
    },
    write: ([changed], results) => {
      const text = changed?.text ?? whole;
      const value = results.map(resultOf);
      const output = value.length === 0 ? text : editedYaml(text, [{ document: 0, at: ['results'], to: 'set', value }]);
      return Promise.resolve(accept({ output }));
    },
    close: () => Promise.resolve(),
  };
}

function resultOf({ namespace, name, outcome, granted, refusal, node }: Injected): object {
  return {
    message: granted === undefined ? (refusal?.message ?? outcome) : `${granted.prefix} was given`,
    severity: refusal === undefined ? 'info' : 'error',
    resourceRef: {
      apiVersion: `${NEPHIO_GROUP}/${IP_ALLOCATION.version}`,
      kind: IP_ALLOCATION.kind,
      namespace,
      name,
    },
    ...(refusal?.field === undefined ? {} : { field: { path: refusal.field } }),
    ...(node === undefined || node.file === '' ? {} : { file: { path: node.file } }),
  };
}
