// Texts whose contrast with what is behind them is less than WCAG 2.2 asks for (1.4.3, level AA). Runs in the page, so
// that it uses nothing outside of itself.
export function poorContrasts() {
  const parsed = (color) => {
    const numbers = (color.match(/[\d.]+(e-?\d+)?/g) ?? []).map(Number);
    const scale = color.startsWith("color(") ? 255 : 1;
    const [r = 0, g = 0, b = 0, a = 1] = numbers;
    return { r: r * scale, g: g * scale, b: b * scale, a };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a),
    g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a),
    a: 1,
  });
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parsed(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.nodeValue).join("").trim();
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (!text || element.closest("script, style, noscript, .unseen, :disabled") || style.visibility === "hidden" || box.width === 0) continue;
    const background = behind(element);
    const color = over(parsed(element instanceof SVGElement ? style.fill : style.color), background);
    const [light, dark] = [luminance(color), luminance(background)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) poor.push(`${element.tagName}.${element.getAttribute("class") ?? ""} "${text.slice(0, 20)}": ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
}
