/** True: the field cases run as long, and with as many, as their text says; `npm run test:soak`. */
const isSoak = process.env['IPAM_TEST_SOAK'] === '1';

/**
 * Chooses how long a field case runs.
 *
 * @param usual - in each run of the suite; the repetitions that matter are in it
 * @param full - as the case says
 * @returns one of them
 */
export function orSoak<V>(usual: V, full: V): V {
  return isSoak ? full : usual;
}
