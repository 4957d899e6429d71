/** Ours: the public PrefixTree. */
import { PrefixTree } from '../../../../operator/addressing/prefix-tree';
import { serve } from '../serve';
import type { Contestant, Load } from '../shape';
import { lookups } from './routes';

const BYTES_OF_A_VALUE = 8;

const lookup = (load: Load): Contestant => {
  const tree = new PrefixTree<number>();
  const contestant = lookups(tree, load);
  return { ...contestant, bytesOfValues: BYTES_OF_A_VALUE * tree.size };
};

serve({ lookup });
