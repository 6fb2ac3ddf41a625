import { HELP } from "./keys";

interface Props {
  letters: boolean;
  onLetters: (on: boolean) => void;
  onClose: () => void;
}

export function Help({ letters, onLetters, onClose }: Props) {
  return (
    <section class="help" id="help" aria-label="Keys">
      <dl>{HELP.map(([keys, meaning]) => <div key={keys}><dt>{keys.split(/\s+/).map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{meaning}</dd></div>)}</dl>
      <p>
        The brush above the timeline can be dragged. While it has the focus, the arrow keys move it.{" "}
        <label class="check"><input type="checkbox" checked={letters} onChange={() => onLetters(!letters)} /> Letters work everywhere, not only in the timeline</label>{" "}
        <button type="button" onClick={onClose}>Close</button>
      </p>
    </section>
  );
}
